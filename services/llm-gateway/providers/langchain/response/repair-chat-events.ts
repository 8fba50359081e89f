import { parseJson } from "../../../parse-json.ts";
import type { JsonObject } from "#shared/json-object.ts";
import { isObject } from "#shared/exact-json.ts";
import type { SseEvent } from "../../../sse/parse-sse.ts";
import type { AnswerAside } from "../answer-aside.ts";
import { ChatUsage } from "./chat-usage.ts";
import { NO_REASON } from "./no-reason.ts";
import type { RepairEvent } from "./rewrite-sse.ts";

const DONE = "[DONE]";

/**
 * Opens the repair of one streamed chat completion. LangChain reads OpenAI's form and silently drops what differs from
 * it, and many servers differ: a missing role (LangChain drops the tool calls), content that is null or a list,
 * reasoning under another name, arguments as a value instead of text, usage in other places, other error objects, [DONE] without a
 * finish reason before it. What LangChain has no field for goes to `aside`.
 */
export function repairChatEvents(aside: AnswerAside): RepairEvent {
  const usage = new ChatUsage();
  let isFinished = false;
  return (event) => {
    if (event.data.trim() === DONE) {
      return isFinished ? [event] : [chunkEvent({ choices: [choice({}, NO_REASON)] }), event];
    }
    const chunk = parseJson(event.data);
    if (!isObject(chunk)) {
      return event.name === "error" ? [chunkEvent({ error: { message: event.data } })] : [event];
    }
    if (chunk["object"] === "error" || event.name === "error") {
      return [chunkEvent({ error: isObject(chunk["error"]) ? chunk["error"] : chunk })];
    }
    aside.answeredBy(chunk["model"]);
    const groq = isObject(chunk["x_groq"]) ? chunk["x_groq"] : {};
    const first: unknown = Array.isArray(chunk["choices"]) ? chunk["choices"][0] : undefined;
    for (const place of [chunk, first, groq]) usage.add(isObject(place) ? place["usage"] : undefined);
    const whole = {
      ...chunk,
      usage: usage.all,
      ...(typeof groq["error"] === "string" ? { error: { message: groq["error"] } } : {}),
    };
    if (!isObject(first)) return [chunkEvent(whole)];
    const reason = typeof first["finish_reason"] === "string" ? first["finish_reason"] : "";
    isFinished ||= reason !== "";
    const received = isObject(first["delta"]) ? first["delta"] : first["message"];
    const delta = isObject(received) ? received : {};
    tellAside(aside, first, delta);
    return [chunkEvent({ ...whole, choices: [choice(repairDelta(delta), reason === "" ? null : reason)] })];
  };
}

/** What LangChain has no field for. */
function tellAside(
  aside: AnswerAside,
  { native_finish_reason: reason }: JsonObject,
  delta: JsonObject,
): void {
  if (typeof reason === "string") aside.nativeReason = reason;
  if (typeof delta["refusal"] === "string") aside.refuse(delta["refusal"]);
  aside.details.add(delta["reasoning_details"]);
}

function chunkEvent(value: object): SseEvent {
  return { name: undefined, data: JSON.stringify(value) };
}

function choice(delta: object, finishReason: string | null): object {
  return { index: 0, delta: { role: "assistant", content: "", ...delta }, finish_reason: finishReason };
}

function repairDelta(delta: JsonObject): object {
  const reasoning = [delta["reasoning_content"], delta["reasoning"]].find(
    (value) => typeof value === "string",
  );
  const { text, thinking } = isThought(delta) ? thoughtOf(delta) : contentOf(delta["content"]);
  const thought = (reasoning ?? "") + thinking;
  const toolCalls = piecesOf(delta).map(repairPiece);
  return {
    content: text,
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

/** Gemini's mark, at its OpenAI endpoint, of a delta whose text is a thought. */
function isThought({ extra_content: extra }: JsonObject): boolean {
  return isObject(extra) && isObject(extra["google"]) && extra["google"]["thought"] === true;
}

function thoughtOf({ content }: JsonObject): { text: string; thinking: string } {
  return { text: "", thinking: contentOf(content).text };
}

/** The pieces of calls in a delta: OpenAI's former single call too, and members beside the standard of the delta itself. */
function piecesOf(delta: JsonObject): JsonObject[] {
  const { tool_calls: calls, function_call: single, extra_content: extra } = delta;
  const pieces: unknown[] = Array.isArray(calls) ? calls : [];
  const listed = pieces.filter(isObject);
  if (isObject(single) && listed.length === 0) listed.push({ function: single });
  if (isObject(extra) && !isThought(delta)) listed.push({ extra_content: extra });
  return listed;
}

/** One piece of a call in the form that LangChain passes on; text beside the standard is joined by LangChain's own merging. */
function repairPiece(piece: JsonObject): object {
  const { index, id, extra_content: extra } = piece;
  const called = isObject(piece["function"]) ? piece["function"] : {};
  const { name, arguments: args } = called;
  return {
    ...(typeof index === "number" || typeof index === "string" ? { index } : {}),
    ...(typeof id === "string" && id !== "" ? { id } : {}),
    type: "function",
    function: {
      ...(typeof name === "string" && name !== "" ? { name } : {}),
      arguments: typeof args === "string" ? args : isObject(args) ? JSON.stringify(args) : "",
    },
    ...(isObject(extra) ? { extra_content: JSON.stringify(extra) } : {}),
  };
}
