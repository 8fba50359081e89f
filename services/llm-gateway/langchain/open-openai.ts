import { ChatOpenAI, ChatOpenAICompletions } from "@langchain/openai";
import { baseUrl } from "../base-url.ts";
import type { ChatAddress, ChatBackend } from "./chat-backend.ts";
import { chatMessagesOut } from "./chat-messages-out.ts";
import type { RepairEvent } from "./rewrite-events.ts";
import { providerFetch } from "./provider-fetch.ts";
import { repairChatEvents } from "./repair-chat-events.ts";
import { repairResponsesEvents } from "./repair-responses-events.ts";
import { responsesMessagesOut } from "./responses-messages-out.ts";
import { thoughtsOut, withThoughts } from "./thoughts-out.ts";
import { functionToolsOut } from "./tools-out.ts";

const OPENAI_URL = "https://api.openai.com/v1";
const AZURE_API_VERSION = "2024-10-21";

/**
 * Opens a model of OpenAI's, or of any server that speaks its API, which is what a base_url means. OpenAI's own
 * reasoning models are asked through the Responses API, which alone shows their thoughts and takes them back;
 * everything else through chat completions, unless the base_url ends in the other's path. Throws TerminalError
 * `invalid_request` for an unusable address.
 */
export function openOpenai(address: ChatAddress): ChatBackend {
  const { api, rest } =
    /^(?<rest>[^?]*?)\/(?<api>responses|chat\/completions)\/?$/u.exec(address.baseUrl)?.groups ?? {};
  const isReasoning = address.baseUrl === "" && /^(?:o\d|gpt-[5-9](?!-chat)|codex-)/u.test(address.model);
  const server = { ...address, baseUrl: rest ?? address.baseUrl };
  return isReasoning || api === "responses" ? responsesBackend(server) : chatBackend(server, OPENAI_URL);
}

/** A model behind chat completions; `ownUrl` is where it is unless the address says otherwise. */
export function chatBackend(address: ChatAddress, ownUrl: string): ChatBackend {
  const open = (rewrite?: (body: string) => string) =>
    new ChatOpenAICompletions({
      ...clientFields(address, ownUrl, repairChatEvents, rewrite),
      model: address.model,
    });
  const usual = open();
  return {
    prepare: ({ conversation, tools, plain }) => {
      const messages = chatMessagesOut(conversation);
      const options = tools.length === 0 ? {} : { tools: functionToolsOut(tools) };
      const thoughts = plain ? new Map<string, string>() : thoughtsOut(conversation, address.model);
      const model = thoughts.size === 0 ? usual : open((body) => withThoughts(body, thoughts));
      return {
        state: plain ? undefined : { provider: "chat", model: address.model, thinking: true },
        stream: (signal) => model.stream(messages, { ...options, signal }),
      };
    },
  };
}

function responsesBackend(address: ChatAddress): ChatBackend {
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
      const messages = responsesMessagesOut(conversation, { model: address.model, replay: !plain });
      const options = tools.length === 0 ? {} : { tools: functionToolsOut(tools) };
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
