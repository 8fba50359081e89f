import { isObject, parseJsonObject } from "../../../parse-json.ts";
import type { SseEvent } from "../../../sse/parse-sse.ts";
import type { RepairEvent } from "./rewrite-sse.ts";

/**
 * Opens the repair of one answer of Anthropic's API. Of the final usage LangChain passes on only the output tokens, but
 * it passes on the whole delta in the same event, so the usage is copied into the delta. LangChain needs a usage and
 * the SDK a name on each event; other servers with this API may omit them.
 */
export function repairAnthropicEvents(): RepairEvent {
  return (event) => {
    if (event.name !== undefined && !/^message_(?:start|delta)$/u.test(event.name)) return [event];
    const value = parseJsonObject(event.data);
    return value === undefined ? [event] : [repaired(value, event)];
  };
}

function repaired(value: Record<string, unknown>, event: SseEvent): SseEvent {
  const { type, message, delta } = value;
  const name =
    event.name ?? (typeof type === "string" ? type : isObject(value["error"]) ? "error" : undefined);
  if (type === "message_start" && isObject(message)) {
    const usage = { input_tokens: 0, output_tokens: 0, ...numbers(message["usage"]) };
    return { name, data: JSON.stringify({ ...value, message: { ...message, usage } }) };
  }
  if (type === "message_delta" && isObject(delta)) {
    const usage = isObject(value["usage"]) ? value["usage"] : {};
    return { name, data: JSON.stringify({ ...value, usage, delta: { ...delta, usage } }) };
  }
  return { name, data: event.data };
}

function numbers(usage: unknown): Record<string, unknown> {
  const entries = isObject(usage) ? Object.entries(usage) : [];
  return Object.fromEntries(entries.filter(([, value]) => typeof value === "number"));
}
