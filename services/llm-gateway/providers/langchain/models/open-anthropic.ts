import { Anthropic } from "@anthropic-ai/sdk";
import type { BaseAnthropic } from "@anthropic-ai/sdk/client";
import { ChatAnthropic } from "@langchain/anthropic";
import { anthropicMessages, mayThink } from "../request/anthropic-messages.ts";
import { baseUrl } from "../../base-url.ts";
import type { ChatAddress, ChatModel } from "./chat-model.ts";
import { claudeSettings } from "./claude-settings.ts";
import { providerFetch } from "./provider-fetch.ts";
import { repairAnthropicEvents } from "../response/repair-anthropic-events.ts";
import { anthropicTools, placeholderTools } from "../request/langchain-tools.ts";

const ANTHROPIC_URL = "https://api.anthropic.com";
/** Lets the older models think between the calls of a round, as the newer ones do anyway. */
const INTERLEAVED = { "anthropic-beta": "interleaved-thinking-2025-05-14" };

/**
 * Opens one of Anthropic's models, or of a server that speaks its API. Throws TerminalError `invalid_request` for an
 * unusable address.
 */
export function openAnthropic({ model, apiKey, baseUrl: configured }: ChatAddress): ChatModel {
  // The SDK adds the version itself.
  const baseURL = baseUrl(configured, ANTHROPIC_URL).replace(/\/v1$/u, "");
  const client = new Anthropic({
    // Everything said in full, because the SDK otherwise looks into the process's environment.
    // Without a key it looks for a profile in the home directory, whose token would go to this address.
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
  return claudeModel(model, client);
}

/** A Claude model behind a client that speaks Anthropic's API. */
export function claudeModel(model: string, client: BaseAnthropic): ChatModel {
  const { maxTokens, thinking } = claudeSettings(model);
  const fields = { model, maxTokens, maxRetries: 0, createClient: () => client };
  const plainModel = new ChatAnthropic(fields);
  const thinkingModel = thinking === undefined ? plainModel : new ChatAnthropic({ ...fields, thinking });
  return {
    prepare: ({ conversation, tools, plain }) => {
      const isThinking = !plain && thinking !== undefined && mayThink(conversation, model);
      const messages = anthropicMessages(conversation, { model, thinking: isThinking });
      const bound = anthropicTools(tools);
      const standIns = bound.length === 0 ? placeholderTools(conversation) : [];
      const options = {
        ...(bound.length === 0 ? {} : { tools: bound }),
        ...(standIns.length === 0 ? {} : { tools: standIns, tool_choice: "none" as const }),
      };
      const chosen = isThinking ? thinkingModel : plainModel;
      return {
        state: { provider: "anthropic", model, thinking: isThinking },
        stream: (signal) => chosen.stream(messages, { ...options, signal }),
      };
    },
  };
}
