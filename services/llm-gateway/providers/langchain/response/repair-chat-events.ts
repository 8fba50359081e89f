import { isObject, parseJson } from "../../../parse-json.ts";
import type { SseEvent } from "../../../sse/parse-sse.ts";
import { NO_REASON } from "./no-reason.ts";
import type { RepairEvent } from "./rewrite-sse.ts";

const DONE = "[DONE]";

/**
 * Opens the repair of one streamed chat completion. LangChain reads OpenAI's form and silently drops what differs from
 * it, and many servers differ: a missing role (LangChain drops the tool calls), content that is null or a list,
 * reasoning under another name, tool calls without an index or id or all with the same index, arguments as a value
 * instead of text, other error objects, [DONE] without a finish reason before it.
 */
export function repairChatEvents(): RepairEvent {
  const calls = new CallNumbers();
  let isFinished = false;
  return (event) => {
    if (event.data.trim() === DONE) {
      return isFinished ? [event] : [chunkEvent({ choices: [choice({}, NO_REASON)] }), event];
    }
    const chunk = withGroqFields(parseJson(event.data));
    if (!isObject(chunk)) {
      return event.name === "error" ? [chunkEvent({ error: { message: event.data } })] : [event];
    }
    if (chunk["object"] === "error" || event.name === "error") {
      return [chunkEvent({ error: isObject(chunk["error"]) ? chunk["error"] : chunk })];
    }
    const first: unknown = Array.isArray(chunk["choices"]) ? chunk["choices"][0] : undefined;
    if (!isObject(first)) return [chunkEvent(chunk)];
    const reason = typeof first["finish_reason"] === "string" ? first["finish_reason"] : "";
    isFinished ||= reason !== "";
    const received = isObject(first["delta"]) ? first["delta"] : first["message"];
    const delta = isObject(received) ? received : {};
    return [
      chunkEvent({ ...chunk, choices: [choice(repairDelta(delta, calls), reason === "" ? null : reason)] }),
    ];
  };
}

/** Groq's usage and late errors, also for a server of another type that is Groq. */
function withGroqFields(chunk: unknown): unknown {
  const own = isObject(chunk) ? chunk["x_groq"] : undefined;
  if (!isObject(chunk) || !isObject(own)) return chunk;
  return {
    ...chunk,
    usage: chunk["usage"] ?? own["usage"],
    ...(typeof own["error"] === "string" ? { error: { message: own["error"] } } : {}),
  };
}

function chunkEvent(value: object): SseEvent {
  return { name: undefined, data: JSON.stringify(value) };
}

function choice(delta: object, finishReason: string | null): object {
  return { index: 0, delta: { role: "assistant", content: "", ...delta }, finish_reason: finishReason };
}

function repairDelta(delta: Record<string, unknown>, calls: CallNumbers): object {
  const reasoning = [delta["reasoning_content"], delta["reasoning"]].find(
    (value) => typeof value === "string",
  );
  const { text, thinking } = contentOf(delta["content"]);
  const refused = typeof delta["refusal"] === "string" ? delta["refusal"] : "";
  const thought = (reasoning ?? "") + thinking;
  const pieces: unknown[] = Array.isArray(delta["tool_calls"]) ? delta["tool_calls"] : [];
  const toolCalls = pieces.filter(isObject).map((piece) => calls.repair(piece));
  return {
    content: text + refused,
    ...(thought === "" ? {} : { reasoning_content: thought }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
}

/** Joins content that some servers send as a list of parts, thinking included. */
function contentOf(content: unknown): { text: string; thinking: string } {
  if (typeof content === "string") return { text: content, thinking: "" };
  let text = "";
  let thinking = "";
  for (const part of Array.isArray(content) ? content.filter(isObject) : []) {
    if (typeof part["text"] === "string") text += part["text"];
    if (part["type"] === "thinking") thinking += contentOf(part["thinking"]).text;
  }
  return { text, thinking };
}

/** Gives each tool call of an answer a unique index, independent of the server's. */
class CallNumbers {
  readonly #calls: { wireIndex: number | undefined; id: string | undefined }[] = [];

  repair(piece: Record<string, unknown>): object {
    const wireIndex = typeof piece["index"] === "number" ? piece["index"] : undefined;
    const id = typeof piece["id"] === "string" && piece["id"] !== "" ? piece["id"] : undefined;
    const called = isObject(piece["function"]) ? piece["function"] : {};
    const name = typeof called["name"] === "string" && called["name"] !== "" ? called["name"] : undefined;
    const given = called["arguments"];
    const args = typeof given === "string" ? given : isObject(given) ? JSON.stringify(given) : "";
    const begun = this.#find(wireIndex, id, name !== undefined);
    const index = begun ?? this.#calls.push({ wireIndex, id }) - 1;
    return {
      index,
      ...(begun === undefined && id !== undefined ? { id } : {}),
      type: "function",
      function: { ...(begun === undefined && name !== undefined ? { name } : {}), arguments: args },
    };
  }

  /** The call that this piece continues. A name together with a new id, or without an index, starts a new call. */
  #find(wireIndex: number | undefined, id: string | undefined, named: boolean): number | undefined {
    const byId = id === undefined ? -1 : this.#calls.findLastIndex((call) => call.id === id);
    if (byId >= 0) return byId;
    const byIndex =
      wireIndex === undefined
        ? this.#calls.length - 1
        : this.#calls.findLastIndex((call) => call.wireIndex === wireIndex);
    if (byIndex < 0) return undefined;
    const isOther = named && (id !== undefined || wireIndex === undefined);
    return isOther ? undefined : byIndex;
  }
}
