import type { SseHandler, SseReply } from "../../../test/support/sse-server.ts";
import { completes, completion, messageStart, messageStop, named, says } from "./wire.ts";

/** How one API streams answers and errors. */
interface Dialect {
  readonly provider: string;
  readonly path: string;
  readonly succeed: SseHandler;
  /** Starts an answer; `text` is its first content, or empty for none. */
  readonly begin: (reply: SseReply, text: string) => void;
  /** More text of the same answer. */
  readonly goOn: (reply: SseReply, text: string) => void;
  readonly errorBody: (message: string, type: string) => object;
  readonly inStream: (reply: SseReply, message: string, type: string) => void;
}

const openai: Dialect = {
  provider: "openai",
  path: "/v1",
  succeed: completes([{ content: "fine" }]),
  begin: (reply, text) => reply.data(completion({ role: "assistant", content: text })),
  goOn: (reply, text) => reply.data(completion({ content: text })),
  errorBody: (message, type) => ({ error: { message, type, param: null, code: type } }),
  inStream: (reply, message, type) => reply.data({ error: { message, type, param: null, code: type } }),
};
const anthropic: Dialect = {
  provider: "anthropic",
  path: "",
  succeed: (reply) => {
    messageStart(reply);
    says(reply, 0, "fine");
    messageStop(reply, "end_turn");
  },
  begin: (reply, text) => {
    messageStart(reply);
    if (text !== "") says(reply, 0, text);
  },
  goOn: (reply, text) => says(reply, 1, text),
  errorBody: (message, type) => ({ type: "error", error: { type, message }, request_id: "req_1" }),
  inStream: (reply, message, type) => reply.event(named("error", { error: { type, message } })),
};
const responses: Dialect = {
  provider: "openai",
  path: "/v1/responses",
  succeed: (reply) => {
    reply.event(named("response.output_text.delta", { output_index: 0, content_index: 0, delta: "fine" }));
    reply.event(named("response.completed", { response: { id: "resp_1", status: "completed", output: [] } }));
    reply.end();
  },
  begin: (reply, text) => {
    reply.event(
      named("response.created", { response: { id: "resp_1", model: "gpt-5", status: "in_progress" } }),
    );
    if (text === "") return;
    reply.event(named("response.output_text.delta", { output_index: 0, content_index: 0, delta: text }));
  },
  goOn: (reply, text) =>
    reply.event(named("response.output_text.delta", { output_index: 0, content_index: 0, delta: text })),
  errorBody: (message, type) => ({ error: { message, type, param: null, code: type } }),
  inStream: (reply, message, type) =>
    reply.event(
      named("response.failed", {
        response: { id: "resp_1", status: "failed", error: { code: type, message } },
      }),
    ),
};

/** Mistral's error bodies have the error's fields at the top. */
const mistral: Dialect = {
  ...openai,
  provider: "mistral",
  errorBody: (message, type) => ({ object: "error", message, type, param: null, code: type }),
};

/** By the name that test titles use. */
export const DIALECTS: Readonly<Record<string, Dialect>> = {
  "chat completions": openai,
  Mistral: mistral,
  Groq: { ...openai, provider: "groq" },
  OpenRouter: { ...openai, provider: "openrouter" },
  DeepSeek: { ...openai, provider: "deepseek" },
  "the Responses API": responses,
  "Anthropic's messages": anthropic,
};
