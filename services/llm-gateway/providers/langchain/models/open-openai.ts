import { ChatOpenAI, ChatOpenAICompletions } from "@langchain/openai";
import { baseUrl } from "../../base-url.ts";
import { PROVIDER_URLS } from "../../provider-urls.ts";
import { chatMessages } from "../request/chat-messages.ts";
import { functionTools } from "../request/langchain-tools.ts";
import { addReasoning, reasoningByCall, rewriteBody } from "../request/reasoning-content.ts";
import { responsesMessages } from "../request/responses-messages.ts";
import { isObject, parseJsonObject } from "../../../parse-json.ts";
import { ReasoningDetails } from "../response/reasoning-details.ts";
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
  const open = (options: OpenOptions = {}) =>
    new ChatOpenAICompletions({
      ...clientFields(address, server.url, () => repairEvents(server, options.details), options.rewrite),
      ...(server.refusesStreamOptions === true ? { streamUsage: false } : {}),
      model,
    });
  const shared = open();
  return {
    prepare: ({ conversation, tools, plain }) => {
      const messages = chatMessages(conversation);
      const options = tools.length === 0 ? {} : { tools: functionTools(tools) };
      const { reasoning: which, adaptRequest } = server;
      const reasoning =
        plain || which === "none" ? undefined : reasoningByCall(conversation, { model, which });
      const details = server.hasDetails === true ? new ReasoningDetails() : undefined;
      const isUsual = (reasoning?.size ?? 0) === 0 && details === undefined && adaptRequest === undefined;
      const rewrite = (body: string) =>
        rewriteBody(body, (request) => {
          const whole = reasoning === undefined ? request : addReasoning(request, reasoning);
          return adaptRequest === undefined ? whole : adaptRequest(whole, plain);
        });
      const opened = isUsual ? shared : open({ rewrite, ...(details === undefined ? {} : { details }) });
      return {
        state: plain || which === "none" ? undefined : { provider: "chat", model, thinking: true },
        stream: async (signal) => {
          const chunks = await opened.stream(messages, { ...options, signal });
          return details === undefined ? chunks : withDetails(chunks, details);
        },
      };
    },
  };
}

interface OpenOptions {
  readonly rewrite?: (body: string) => string;
  /** Where the answer's reasoning details are collected. */
  readonly details?: ReasoningDetails;
}

/** The common repair of chat completions, after what is peculiar to the server. */
function repairEvents({ adaptChunk }: ChatServer, details: ReasoningDetails | undefined): RepairEvent {
  const repair = repairChatEvents();
  if (adaptChunk === undefined && details === undefined) return repair;
  return (event) => {
    const chunk = parseJsonObject(event.data);
    if (chunk === undefined) return repair(event);
    const choice: unknown = Array.isArray(chunk["choices"]) ? chunk["choices"][0] : undefined;
    const delta = isObject(choice) ? choice["delta"] : undefined;
    if (isObject(delta)) details?.add(delta["reasoning_details"]);
    return repair({ ...event, data: JSON.stringify(adaptChunk?.(chunk) ?? chunk) });
  };
}

/** Adds a chunk with the collected details, for which LangChain has no field. */
async function* withDetails(chunks: AsyncIterable<unknown>, details: ReasoningDetails): AsyncGenerator {
  yield* chunks;
  if (details.all.length > 0) {
    yield { content: "", additional_kwargs: { reasoning_details: details.all } };
  }
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
  repair: () => RepairEvent,
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
