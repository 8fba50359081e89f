import { isObject, parseJsonObject } from "../../../parse-json.ts";
import type { RepairEvent } from "./rewrite-sse.ts";

/**
 * Opens the repair of one answer of OpenAI's Responses API: LangChain ignores `response.failed`, so it becomes `error`.
 */
export function repairResponsesEvents(): RepairEvent {
  return (event) => {
    if (event.name !== "response.failed" && !event.data.includes('"response.failed"')) return [event];
    const failed = parseJsonObject(event.data);
    if (failed?.["type"] !== "response.failed") return [event];
    const response = failed["response"];
    const error = isObject(response) && isObject(response["error"]) ? response["error"] : {};
    return [{ name: "error", data: JSON.stringify({ error }) }];
  };
}
