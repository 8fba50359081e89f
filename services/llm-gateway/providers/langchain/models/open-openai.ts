import { ChatOpenAI, ChatOpenAICompletions } from "@langchain/openai";
import { baseUrl } from "../../base-url.ts";
import { PROVIDER_URLS } from "../../provider-urls.ts";
import { chatMessages } from "../request/chat-messages.ts";
import { functionTools } from "../request/langchain-tools.ts";
import { reasoningByCall, addReasoning } from "../request/reasoning-content.ts";
import { responsesMessages } from "../request/responses-messages.ts";
import { repairChatEvents } from "../response/repair-chat-events.ts";
import { repairResponsesEvents } from "../response/repair-responses-events.ts";
import type { RepairEvent } from "../response/rewrite-sse.ts";
import type { ChatAddress, ChatModel } from "./chat-model.ts";
import { providerFetch } from "./provider-fetch.ts";

const AZURE_API_VERSION = "2024-10-21";

/**
 * Opens a model of OpenAI, or of the server with the same API at base_url. OpenAI's reasoning models use the Responses
 * API, because only that returns their reasoning and accepts it back. All others use chat completions, unless base_url
 * ends in `/responses`. Throws TerminalError `invalid_request` for an invalid base_url.
 */
export function openOpenai(address: ChatAddress): ChatModel {
  const { api, rest } =
    /^(?<rest>[^?]*?)\/(?<api>responses|chat\/completions)\/?$/u.exec(address.baseUrl)?.groups ?? {};
  const isReasoning = address.baseUrl === "" && /^(?:o\d|gpt-[5-9](?!-chat)|codex-)/u.test(address.model);
  const server = { ...address, baseUrl: rest ?? address.baseUrl };
  return isReasoning || api === "responses"
    ? responsesModel(server)
    : chatCompletionsModel(server, PROVIDER_URLS.openai);
}

/** A model behind chat completions, at `defaultUrl` unless the address has a base URL. */
export function chatCompletionsModel(address: ChatAddress, defaultUrl: string): ChatModel {
  const open = (rewrite?: (body: string) => string) =>
    new ChatOpenAICompletions({
      ...clientFields(address, defaultUrl, repairChatEvents, rewrite),
      model: address.model,
    });
  const shared = open();
  return {
    prepare: ({ conversation, tools, plain }) => {
      const messages = chatMessages(conversation);
      const options = tools.length === 0 ? {} : { tools: functionTools(tools) };
      const reasoning = plain ? new Map<string, string>() : reasoningByCall(conversation, address.model);
      const model = reasoning.size === 0 ? shared : open((body) => addReasoning(body, reasoning));
      return {
        state: plain ? undefined : { provider: "chat", model: address.model, thinking: true },
        stream: (signal) => model.stream(messages, { ...options, signal }),
      };
    },
  };
}

function responsesModel(address: ChatAddress): ChatModel {
  const fields = {
    ...clientFields(address, PROVIDER_URLS.openai, repairResponsesEvents),
    model: address.model,
    useResponsesApi: true,
    // OpenAI must store nothing: reasoning is returned encrypted and sent back with the conversation.
    zdrEnabled: true,
    supportsStrictToolCalling: false,
  };
  const plainModel = new ChatOpenAI(fields);
  const model = new ChatOpenAI({ ...fields, reasoning: { summary: "auto" } });
  return {
    prepare: ({ conversation, tools, plain }) => {
      const messages = responsesMessages(conversation, { model: address.model, replay: !plain });
      const options = tools.length === 0 ? {} : { tools: functionTools(tools) };
      if (plain) {
        return { state: undefined, stream: (signal) => plainModel.stream(messages, { ...options, signal }) };
      }
      return {
        state: { provider: "responses", model: address.model, thinking: true },
        stream: (signal) =>
          model.stream(messages, { ...options, include: ["reasoning.encrypted_content"], signal }),
      };
    },
  };
}

/** Every option is set, because LangChain and the SDK fall back to environment variables. */
function clientFields(
  { apiKey, baseUrl: configured }: ChatAddress,
  defaultUrl: string,
  repair: () => RepairEvent,
  rewrite?: (body: string) => string,
) {
  const url = new URL(baseUrl(configured, defaultUrl));
  const query = Object.fromEntries(url.searchParams);
  const isAzure = url.hostname.endsWith(".azure.com") && url.pathname.includes("/deployments/");
  return {
    // The SDK requires a key.
    apiKey: apiKey ?? "none",
    maxRetries: 0,
    streamUsage: true,
    configuration: {
      baseURL: `${url.origin}${url.pathname}`.replace(/\/+$/u, ""),
      organization: null,
      project: null,
      fetch: providerFetch(repair, {
        withoutKey: apiKey === undefined,
        ...(rewrite === undefined ? {} : { rewrite }),
      }),
      logLevel: "off" as const,
      defaultQuery: isAzure ? { "api-version": AZURE_API_VERSION, ...query } : query,
      ...(isAzure && apiKey !== undefined ? { defaultHeaders: { "api-key": apiKey } } : {}),
    },
  };
}
