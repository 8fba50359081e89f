import { ChatOpenAI, ChatOpenAICompletions } from "@langchain/openai";
import { baseUrl } from "../../base-url.ts";
import { PROVIDER_URLS } from "../../provider-urls.ts";
import { chatMessages } from "../request/chat-messages.ts";
import { functionTools } from "../request/langchain-tools.ts";
import { addKeptFields, keptFields, rewriteBody } from "../request/reasoning-content.ts";
import { responsesMessages } from "../request/responses-messages.ts";
import { parseJsonObject } from "../../../parse-json.ts";
import type { AnswerAside } from "../answer-aside.ts";
import { repairChatEvents } from "../response/repair-chat-events.ts";
import { repairErrorBody } from "../response/repair-error-body.ts";
import { repairResponsesEvents } from "../response/repair-responses-events.ts";
import type { RepairEvent } from "../response/rewrite-sse.ts";
import type { ChatServer } from "../servers/chat-server.ts";
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
  const isReasoning = address.baseUrl === "" && isReasoningModel(address.model);
  const server = { ...address, baseUrl: rest ?? address.baseUrl };
  return isReasoning || api === "responses"
    ? responsesModel(server)
    : chatCompletionsModel(server, { url: PROVIDER_URLS.openai, reasoning: "round" });
}

/** True for OpenAI's reasoning models, which the Responses API is for. */
export function isReasoningModel(model: string): boolean {
  return /^(?:o\d|gpt-[5-9](?!-chat)|codex-)/u.test(model);
}

/** A model behind chat completions, at the server's own address unless the address has a base URL. */
export function chatCompletionsModel(address: ChatAddress, server: ChatServer): ChatModel {
  const { model } = address;
  const open = (rewrite?: (body: string) => string) =>
    new ChatOpenAICompletions({
      ...clientFields(address, server.url, (aside) => repairEvents(server, aside), rewrite),
      ...(server.refusesStreamOptions === true ? { streamUsage: false } : {}),
      model,
    });
  const shared = open();
  return {
    prepare: ({ conversation, tools, plain }) => {
      const messages = chatMessages(conversation);
      const options = tools.length === 0 ? {} : { tools: functionTools(tools) };
      const { reasoning: which, adaptRequest } = server;
      const kept = plain || which === "none" ? undefined : keptFields(conversation, { model, which });
      const isUsual =
        adaptRequest === undefined && (kept?.ofMessage.size ?? 0) + (kept?.ofCall.size ?? 0) === 0;
      const rewrite = (body: string) =>
        rewriteBody(body, (request) => {
          const whole = kept === undefined ? request : addKeptFields(request, kept);
          return adaptRequest === undefined ? whole : adaptRequest(whole, plain);
        });
      const opened = isUsual ? shared : open(rewrite);
      return {
        state: plain || which === "none" ? undefined : { provider: "chat", model, thinking: true },
        stream: (signal) => opened.stream(messages, { ...options, signal }),
      };
    },
  };
}

/** The common repair of chat completions, after what is peculiar to the server. */
function repairEvents({ adaptChunk }: ChatServer, aside: AnswerAside): RepairEvent {
  const repair = repairChatEvents(aside);
  if (adaptChunk === undefined) return repair;
  return (event) => {
    const chunk = parseJsonObject(event.data);
    return repair(chunk === undefined ? event : { ...event, data: JSON.stringify(adaptChunk(chunk)) });
  };
}

/** A model behind the Responses API, at OpenAI's address unless the address has a base URL. */
export function responsesModel(address: ChatAddress, adaptRequest?: ChatServer["adaptRequest"]): ChatModel {
  const rewrite =
    adaptRequest === undefined
      ? undefined
      : (body: string) => rewriteBody(body, (request) => adaptRequest(request, false));
  const fields = {
    ...clientFields(address, PROVIDER_URLS.openai, repairResponsesEvents, rewrite),
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
  { apiKey, keyHeader, baseUrl: configured, maxOutputTokens }: ChatAddress,
  defaultUrl: string,
  repair: (aside: AnswerAside) => RepairEvent,
  rewrite?: (body: string) => string,
) {
  const url = new URL(baseUrl(configured, defaultUrl));
  const query = Object.fromEntries(url.searchParams);
  const isAzure =
    keyHeader === undefined && url.hostname.endsWith(".azure.com") && url.pathname.includes("/deployments/");
  const ownHeader = keyHeader === "authorization" ? undefined : keyHeader;
  const header = isAzure ? "api-key" : ownHeader;
  return {
    // The SDK requires a key.
    apiKey: apiKey ?? "none",
    maxRetries: 0,
    streamUsage: true,
    ...(maxOutputTokens === undefined ? {} : { maxTokens: maxOutputTokens }),
    configuration: {
      baseURL: `${url.origin}${url.pathname}`.replace(/\/+$/u, ""),
      organization: null,
      project: null,
      fetch: providerFetch(repair, {
        repairError: repairErrorBody,
        withoutKey: apiKey === undefined || ownHeader !== undefined,
        ...(rewrite === undefined ? {} : { rewrite }),
      }),
      logLevel: "off" as const,
      defaultQuery: isAzure ? { "api-version": AZURE_API_VERSION, ...query } : query,
      ...(header === undefined || apiKey === undefined ? {} : { defaultHeaders: { [header]: apiKey } }),
    },
  };
}
