import { parseJsonObject } from "../../../parse-json.ts";
import type { JsonObject } from "#shared/json-object.ts";
import { isObject } from "#shared/exact-json.ts";
import type { SseEvent } from "../../../sse/parse-sse.ts";
import type { AnswerAside } from "../answer-aside.ts";
import { NO_REASON } from "./no-reason.ts";
import { ResponsesCalls } from "./responses-calls.ts";
import { ResponsesLateText } from "./responses-late-text.ts";
import type { RepairEvent } from "./rewrite-sse.ts";

const DONE = "[DONE]";

/**
 * Opens the repair of one answer of the Responses API. LangChain ignores `response.failed`, so it becomes `error`; it reads
 * reasoning only as a summary and tool calls only as deltas, and many servers send raw reasoning, or text and arguments only in
 * closing events. [DONE] ends an answer too. The words of a refusal go to `aside`.
 */
export function repairResponsesEvents(aside: AnswerAside): RepairEvent {
  const calls = new ResponsesCalls();
  const texts = new ResponsesLateText();
  let isEnded = false;
  const readRefusal = (item: unknown) => {
    const parts: unknown[] = isObject(item) && Array.isArray(item["content"]) ? item["content"] : [item];
    const words = parts.filter(isObject).map(({ refusal }) => (typeof refusal === "string" ? refusal : ""));
    // What closes an item repeats what came in pieces.
    if (aside.refusal === "") aside.refuse(words.join(""));
  };
  const end = (response: JsonObject): SseEvent[] => {
    isEnded = true;
    if (Array.isArray(response["output"])) response["output"].forEach(readRefusal);
    return calls.end(response["output"]).map(toSse);
  };
  return (event) => {
    if (event.data.trim() === DONE) {
      if (isEnded) return [event];
      const response = { status: NO_REASON, output: [] };
      return [...end(response), toSse({ type: "response.completed", response }), event];
    }
    const value = parseJsonObject(event.data);
    if (value === undefined) return [event];
    if (isObject(value["response"])) aside.answeredBy(value["response"]["model"]);
    switch (value["type"]) {
      case "response.failed":
        return [failure(value["response"])];
      case "response.completed":
      case "response.incomplete":
        return [...end(isObject(value["response"]) ? value["response"] : {}), event];
      case "response.refusal.delta":
        if (typeof value["delta"] === "string") aside.refuse(value["delta"]);
        return [];
      case "response.refusal.done":
        readRefusal(value);
        return [];
      case "response.content_part.done":
        readRefusal(value["part"]);
        return [event];
      case "response.output_item.done":
        readRefusal(value["item"]);
        return (calls.read(value) ?? texts.read(value))?.map(toSse) ?? [event];
      default:
        return (calls.read(value) ?? texts.read(value))?.map(toSse) ?? [event];
    }
  };
}

function failure(response: unknown): SseEvent {
  const error = isObject(response) && isObject(response["error"]) ? response["error"] : {};
  return { name: "error", data: JSON.stringify({ error }) };
}

function toSse(value: JsonObject): SseEvent {
  const { type } = value;
  return { name: typeof type === "string" ? type : undefined, data: JSON.stringify(value) };
}
