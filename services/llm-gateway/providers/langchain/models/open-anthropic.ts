import type { AuthClient } from "google-auth-library";
import { MAX_EVENT_LENGTH, parseSse } from "../../../sse/parse-sse.ts";
import { baseUrl } from "../../base-url.ts";
import { httpPost } from "../../http-post.ts";
import { PROVIDER_URLS } from "../../provider-urls.ts";
import { receive } from "../../receive.ts";
import type { VertexAddress } from "../../vertex/vertex-address.ts";
import { currentAside } from "../answer-aside.ts";
import { anthropicMessages, mayThink } from "../request/anthropic-messages.ts";
import { anthropicTools, placeholderTools } from "../request/langchain-tools.ts";
import { anthropicChunks } from "../response/anthropic-chunks.ts";
import type { ChatAddress, ChatModel } from "./chat-model.ts";
import { claudeSettings } from "./claude-settings.ts";

type Model = Pick<ChatAddress, "model" | "maxOutputTokens">;

/** Where a model's requests go, and what its API wants beside the conversation. */
interface ModelEndpoint {
  readonly url: URL;
  readonly headers: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** Fields of each request. */
  readonly fields: Readonly<Record<string, string>>;
}

const JSON_HEADERS = {
  "content-type": "application/json",
  accept: "application/json",
  "user-agent": "tarsy",
};
/** Lets older models think between the tool calls of a round; newer ones always do. */
const INTERLEAVED = { "anthropic-beta": "interleaved-thinking-2025-05-14" };

/**
 * Opens a model of Anthropic, or of a server with its API. Throws TerminalError `invalid_request` for an invalid
 * base_url.
 */
export function openAnthropic({ baseUrl: configured, apiKey, ...model }: ChatAddress): ChatModel {
  const root = baseUrl(configured, PROVIDER_URLS.anthropic).replace(/\/v1$/u, "");
  const headers = {
    "anthropic-version": "2023-06-01",
    ...(apiKey === undefined ? {} : { "x-api-key": apiKey }),
    ...(configured === "" ? INTERLEAVED : {}),
  };
  return claudeModel(model, {
    url: new URL(`${root}/v1/messages`),
    headers: () => headers,
    fields: { model: model.model },
  });
}

/** Opens a Claude model on Vertex AI. */
export function openVertexClaude(
  model: Model,
  { url, project, location }: VertexAddress,
  authClient: AuthClient,
): ChatModel {
  const path = `projects/${project}/locations/${location}/publishers/anthropic/models/${model.model}`;
  return claudeModel(model, {
    url: new URL(`${url}/v1/${path}:streamRawPredict`),
    headers: async () => Object.fromEntries(await authClient.getRequestHeaders()),
    fields: { anthropic_version: "vertex-2023-10-16" },
  });
}

function claudeModel({ model, maxOutputTokens }: Model, endpoint: ModelEndpoint): ChatModel {
  const { maxTokens, thinking } = claudeSettings(model, maxOutputTokens);
  return {
    prepare: ({ conversation, tools, plain }) => {
      const isThinking = !plain && thinking !== undefined && mayThink(conversation, model);
      const { system } = conversation;
      const placeholders = tools.length === 0 ? placeholderTools(conversation) : [];
      const body = JSON.stringify({
        ...endpoint.fields,
        max_tokens: maxTokens,
        stream: true,
        ...(system === undefined ? {} : { system }),
        messages: anthropicMessages(conversation, { model, thinking: isThinking }),
        ...(isThinking ? { thinking } : {}),
        ...(tools.length === 0 ? {} : { tools: anthropicTools(tools) }),
        ...(placeholders.length === 0 ? {} : { tools: placeholders, tool_choice: { type: "none" } }),
      });
      return {
        state: { provider: "anthropic", model, thinking: isThinking },
        stream: (signal) => Promise.resolve(stream(endpoint, body, signal)),
      };
    },
  };
}

function stream({ url, headers }: ModelEndpoint, body: string, signal: AbortSignal): AsyncIterable<unknown> {
  const aside = currentAside();
  const send = async () => {
    const sent = { ...JSON_HEADERS, ...(await headers()) };
    return receive(await httpPost(url, { headers: sent, body, signal }));
  };
  return anthropicChunks(
    parseSse(send, MAX_EVENT_LENGTH, () => aside.heard()),
    aside,
  );
}
