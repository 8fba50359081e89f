import { Anthropic } from "@anthropic-ai/sdk";
import type { BaseAnthropic } from "@anthropic-ai/sdk/client";
import { ChatAnthropic } from "@langchain/anthropic";
import { baseUrl } from "../../base-url.ts";
import { PROVIDER_URLS } from "../../provider-urls.ts";
import { anthropicMessages, mayThink } from "../request/anthropic-messages.ts";
import { anthropicTools, placeholderTools } from "../request/langchain-tools.ts";
import { repairAnthropicEvents } from "../response/repair-anthropic-events.ts";
import type { ChatAddress, ChatModel } from "./chat-model.ts";
import { claudeSettings } from "./claude-settings.ts";
import { providerFetch } from "./provider-fetch.ts";

/** Lets older models think between the tool calls of a round; newer ones always do. */
const INTERLEAVED = { "anthropic-beta": "interleaved-thinking-2025-05-14" };

/**
 * Opens a model of Anthropic, or of a server with its API. Throws TerminalError `invalid_request` for an invalid
 * base_url.
 */
export function openAnthropic({
  model,
  apiKey,
  baseUrl: configured,
  maxOutputTokens,
}: ChatAddress): ChatModel {
  // The SDK adds the version itself.
  const baseURL = baseUrl(configured, PROVIDER_URLS.anthropic).replace(/\/v1$/u, "");
  const client = new Anthropic({
    // Every option is set, because the SDK falls back to environment variables. Without a key it would read a
    // profile in the home directory and send its token to this address.
    apiKey: apiKey ?? "none",
    authToken: null,
    baseURL,
    maxRetries: 0,
    logLevel: "off",
    fetch: providerFetch(repairAnthropicEvents),
    defaultHeaders: {
      ...(apiKey === undefined ? { "x-api-key": null } : {}),
      ...(configured === "" ? INTERLEAVED : {}),
    },
  });
  return claudeModel({ model, maxOutputTokens }, client);
}

/** A Claude model behind a client for Anthropic's API. */
export function claudeModel(
  { model, maxOutputTokens }: Pick<ChatAddress, "model" | "maxOutputTokens">,
  client: BaseAnthropic,
): ChatModel {
  const { maxTokens, thinking } = claudeSettings(model, maxOutputTokens);
  const fields = { model, maxTokens, maxRetries: 0, createClient: () => client };
  const plainModel = new ChatAnthropic(fields);
  const thinkingModel = thinking === undefined ? plainModel : new ChatAnthropic({ ...fields, thinking });
  return {
    prepare: ({ conversation, tools, plain }) => {
      const isThinking = !plain && thinking !== undefined && mayThink(conversation, model);
      const messages = anthropicMessages(conversation, { model, thinking: isThinking });
      const bound = anthropicTools(tools);
      const placeholders = bound.length === 0 ? placeholderTools(conversation) : [];
      const options = {
        ...(bound.length === 0 ? {} : { tools: bound }),
        ...(placeholders.length === 0 ? {} : { tools: placeholders, tool_choice: "none" as const }),
      };
      const chosen = isThinking ? thinkingModel : plainModel;
      return {
        state: { provider: "anthropic", model, thinking: isThinking },
        stream: (signal) => chosen.stream(messages, { ...options, signal }),
      };
    },
  };
}
