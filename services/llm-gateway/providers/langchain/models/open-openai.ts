import { ChatOpenAI, ChatOpenAICompletions } from "@langchain/openai";
import { baseUrl } from "../../base-url.ts";
import type { ChatAddress, ChatModel } from "./chat-model.ts";
import { chatMessages } from "../request/chat-messages.ts";
import type { RepairEvent } from "../response/rewrite-sse.ts";
import { providerFetch } from "./provider-fetch.ts";
import { repairChatEvents } from "../response/repair-chat-events.ts";
import { repairResponsesEvents } from "../response/repair-responses-events.ts";
import { responsesMessages } from "../request/responses-messages.ts";
import { reasoningByCall, addReasoning } from "../request/reasoning-content.ts";
import { functionTools } from "../request/langchain-tools.ts";

const OPENAI_URL = "https://api.openai.com/v1";
const AZURE_API_VERSION = "2024-10-21";

/**
 * Opens a model of OpenAI's, or of any server that speaks its API, which is what a base_url means. OpenAI's own
 * reasoning models are asked through the Responses API, which alone shows their thoughts and takes them back;
 * everything else through chat completions, unless the base_url ends in the other's path. Throws TerminalError
 * `invalid_request` for an unusable address.
 */
export function openOpenai(address: ChatAddress): ChatModel {
  const { api, rest } =
    /^(?<rest>[^?]*?)\/(?<api>responses|chat\/completions)\/?$/u.exec(address.baseUrl)?.groups ?? {};
  const isReasoning = address.baseUrl === "" && /^(?:o\d|gpt-[5-9](?!-chat)|codex-)/u.test(address.model);
  const server = { ...address, baseUrl: rest ?? address.baseUrl };
  return isReasoning || api === "responses"
    ? responsesModel(server)
    : chatCompletionsModel(server, OPENAI_URL);
}

/** A model behind chat completions; `ownUrl` is where it is unless the address says otherwise. */
export function chatCompletionsModel(address: ChatAddress, ownUrl: string): ChatModel {
  const open = (rewrite?: (body: string) => string) =>
    new ChatOpenAICompletions({
      ...clientFields(address, ownUrl, repairChatEvents, rewrite),
      model: address.model,
    });
  const usual = open();
  return {
    prepare: ({ conversation, tools, plain }) => {
      const messages = chatMessages(conversation);
      const options = tools.length === 0 ? {} : { tools: functionTools(tools) };
      const thoughts = plain ? new Map<string, string>() : reasoningByCall(conversation, address.model);
      const model = thoughts.size === 0 ? usual : open((body) => addReasoning(body, thoughts));
      return {
        state: plain ? undefined : { provider: "chat", model: address.model, thinking: true },
        stream: (signal) => model.stream(messages, { ...options, signal }),
      };
    },
  };
}

function responsesModel(address: ChatAddress): ChatModel {
  const fields = {
    ...clientFields(address, OPENAI_URL, repairResponsesEvents),
    model: address.model,
    useResponsesApi: true,
    // The gateway keeps no state and OpenAI is to keep none for it: reasoning travels, encrypted.
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

/** Everything said in full, because LangChain and the SDK otherwise look into the process's environment. */
function clientFields(
  { apiKey, baseUrl: configured }: ChatAddress,
  ownUrl: string,
  repair: () => RepairEvent,
  rewrite?: (body: string) => string,
) {
  const url = new URL(baseUrl(configured, ownUrl));
  const query = Object.fromEntries(url.searchParams);
  const isAzure = url.hostname.endsWith(".azure.com") && url.pathname.includes("/deployments/");
  return {
    // The SDK wants one.
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
