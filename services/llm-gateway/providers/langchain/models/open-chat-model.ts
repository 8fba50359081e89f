import type { Environment } from "#shared/environment.ts";
import type { LLMConfig } from "#shared/generated/llm/v1/llm.ts";
import { apiKey } from "../../credential.ts";
import { terminal } from "../../../errors/llm-error.ts";
import type { ChatAddress, ChatModel } from "./chat-model.ts";
import { lruCached } from "../../lru-cache.ts";

/** A model to call, and what must never be repeated of the way to it. */
export interface OpenedChatModel {
  readonly backend: ChatModel;
  readonly secrets: readonly string[];
}

/** Opens the model a call's settings name. Throws TerminalError `credentials`, `invalid_request` or `invalid_backend`. */
export type OpenChatModel = (config: LLMConfig) => OpenedChatModel | Promise<OpenedChatModel>;

const MAX_BACKENDS = 32;

/** Opens models by provider, each provider's SDK imported with its first call, and keeps those used last. */
export function chatModelOpener(env: Environment): OpenChatModel {
  const openers = {
    openai: once(async () => withKey((await import("./open-openai.ts")).openOpenai, env)),
    xai: once(async () => withKey((await import("./open-xai.ts")).openXai, env)),
    anthropic: once(async () => withKey((await import("./open-anthropic.ts")).openAnthropic, env)),
    vertexai: once(() => vertexClaude(env)),
  };
  return async (config) => {
    const { provider } = config;
    if (!isServed(provider, openers)) {
      throw terminal(
        "invalid_backend",
        `llm_config.provider "${provider}" cannot be served with backend "langchain": it must be one of ${Object.keys(openers).join(", ")}`,
      );
    }
    const open = await openers[provider]();
    return open(config);
  };
}

function isServed<T extends object>(provider: string, openers: T): provider is Extract<keyof T, string> {
  return Object.hasOwn(openers, provider);
}

function withKey(open: (address: ChatAddress) => ChatModel, env: Environment): OpenChatModel {
  const backends = lruCached(MAX_BACKENDS, open);
  return ({ model, apiKeyEnv, baseUrl }) => {
    const key = keyFor(apiKeyEnv, baseUrl, env);
    return { backend: backends({ model, apiKey: key, baseUrl }), secrets: key === undefined ? [] : [key] };
  };
}

/** Undefined where no variable is named and a server of one's own is called, which may want no key. */
function keyFor(name: string, baseUrl: string, env: Environment): string | undefined {
  if (name !== "") return apiKey(name, env);
  if (baseUrl !== "") return undefined;
  throw terminal(
    "credentials",
    "llm_config.api_key_env is empty: it must name the variable that holds the key, unless base_url is set",
  );
}

async function vertexClaude(env: Environment): Promise<OpenChatModel> {
  const { openVertexClaude } = await import("./open-vertex-claude.ts");
  const { googleCredentials } = await import("../../vertex/google-credentials.ts");
  const { vertexAddress } = await import("../../vertex/vertex-address.ts");
  const find = googleCredentials(env);
  return async (config) => {
    const address = vertexAddress(config);
    const { authClient, secrets } = await find(config);
    return { backend: openVertexClaude(config.model, address, authClient), secrets };
  };
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
