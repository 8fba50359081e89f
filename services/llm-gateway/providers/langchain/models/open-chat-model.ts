import type { ProviderType } from "#shared/contracts/resolved-chain.ts";
import type { Environment } from "#shared/service/environment.ts";
import { terminal } from "../../../errors/llm-error.ts";
import { apiKey, providerKey } from "../../credential.ts";
import { loadOnce } from "../../load-once.ts";
import { lruCached } from "../../lru-cache.ts";
import type { ChatServer } from "../servers/chat-server.ts";
import { CHAT_SERVERS } from "../servers/chat-servers.ts";
import type { ChatAddress, ChatModel } from "./chat-model.ts";
import type { ProviderConfig } from "../../provider-config.ts";

interface OpenedChatModel {
  readonly chatModel: ChatModel;
  /** Values to redact from messages. */
  readonly secrets: readonly string[];
  /** The variables with the credential, where they are not that of a key or of Google credentials. */
  readonly credential?: string;
}

/**
 * Opens the model for a call's settings. Throws TerminalError `credentials`, `invalid_request` or `invalid_backend`.
 */
export type OpenChatModel = (config: ProviderConfig) => OpenedChatModel | Promise<OpenedChatModel>;

const MAX_CHAT_MODELS = 32;

type ChatServerType = keyof typeof CHAT_SERVERS;
/** Each needs a row in CHAT_SERVERS, or an opener of its own below. */
type OwnOpenerType = Exclude<ProviderType, ChatServerType | "google" | "scripted">;
type Opener = () => Promise<OpenChatModel>;

/** Opens models by provider type and caches those used last; an SDK is imported with its first call. */
export function chatModelOpener(env: Environment): OpenChatModel {
  const own: Readonly<Record<OwnOpenerType, Opener>> = {
    openai: loadOnce(async () => withKey((await import("./open-openai.ts")).openOpenai, env)),
    anthropic: loadOnce(async () => withKey((await import("./open-anthropic.ts")).openAnthropic, env)),
    vertexai: loadOnce(() => vertexClaude(env)),
    bedrock: loadOnce(() => bedrock(env)),
    azure: loadOnce(() => azure(env)),
  };
  const servers = Object.entries(CHAT_SERVERS).map(([type, server]): [string, Opener] => [
    type,
    loadOnce(() => chatServer(server, env)),
  ]);
  const openers = new Map<string, Opener>([...Object.entries(own), ...servers]);
  return async (config) => {
    const { provider } = config;
    const opener = openers.get(provider);
    if (opener === undefined) {
      throw terminal(
        "invalid_backend",
        `provider type "${provider}" cannot be served with backend "langchain": it must be one of ${[...openers.keys()].join(", ")}`,
      );
    }
    const open = await opener();
    return open(config);
  };
}

function withKey(open: (address: ChatAddress) => ChatModel, env: Environment): OpenChatModel {
  const chatModels = lruCached(MAX_CHAT_MODELS, open);
  return (config) => {
    const { model, baseUrl, maxOutputTokens } = config;
    const key = providerKey(config, env);
    return {
      chatModel: chatModels({ model, apiKey: key, baseUrl, maxOutputTokens }),
      secrets: key === undefined ? [] : [key],
    };
  };
}

/** A model of a provider whose API is chat completions. */
async function chatServer(server: ChatServer, env: Environment): Promise<OpenChatModel> {
  const { chatCompletionsModel } = await import("./open-openai.ts");
  return withKey((address) => chatCompletionsModel(address, server), env);
}

async function vertexClaude(env: Environment): Promise<OpenChatModel> {
  const { openVertexClaude } = await import("./open-anthropic.ts");
  const { googleCredentials } = await import("../../vertex/google-credentials.ts");
  const { vertexAddress } = await import("../../vertex/vertex-address.ts");
  const find = googleCredentials(env);
  return async (config) => {
    const address = vertexAddress(config);
    const { authClient, secrets } = await find(config);
    return { chatModel: openVertexClaude(config, address, authClient), secrets };
  };
}

async function bedrock(env: Environment): Promise<OpenChatModel> {
  const { bedrockClients } = await import("../bedrock/bedrock-client.ts");
  const { openBedrock } = await import("../bedrock/open-bedrock.ts");
  const find = bedrockClients(env);
  return async (config) => {
    const { client, secrets, credential } = await find(config);
    const context = { secrets, credential };
    return { chatModel: openBedrock(config, client, context), secrets, credential };
  };
}

async function azure(env: Environment): Promise<OpenChatModel> {
  const { entraTokens } = await import("../azure/entra-tokens.ts");
  const { openAzure } = await import("../azure/open-azure.ts");
  const { tokenSource } = await import("../azure/token-request.ts");
  const findToken = entraTokens(env);
  const chatModels = lruCached(MAX_CHAT_MODELS, openAzure);
  return async (config) => {
    const { model, baseUrl, apiKeyEnv, settings, maxOutputTokens } = config;
    const source = tokenSource(config);
    const secret = source === undefined ? apiKey(apiKeyEnv, env) : await findToken(source);
    const chatModel = chatModels({
      model,
      baseUrl,
      maxOutputTokens,
      apiKey: secret,
      keyHeader: source === undefined ? "api-key" : "authorization",
      deployment: settings.deployment ?? model,
      apiVersion: settings.api_version ?? "",
    });
    const name =
      source?.application?.secret ?? (source === undefined ? apiKeyEnv : "this machine's identity");
    return { chatModel, secrets: [secret], credential: `the credential in ${name}` };
  };
}
