import { isObject, parseJsonObject } from "../../../parse-json.ts";
import type { SseEvent } from "../../../sse/parse-sse.ts";
import { NO_REASON } from "./no-reason.ts";
import type { RepairEvent } from "./rewrite-sse.ts";

type Fields = Record<string, unknown>;

/**
 * Opens the repair of one answer of Anthropic's API. Of the final usage LangChain passes on only the output tokens, but
 * it passes on the whole delta in the same event, so the usage is copied into the delta. LangChain needs a usage and
 * the SDK a name on each event; other servers with this API may omit them, or send a tool's whole input with the start of
 * its block. A second answer that begins after some content becomes an error.
 */
export function repairAnthropicEvents(): RepairEvent {
  const answer = { isOpen: false, hasContent: false, hasReason: false };
  const inputs = new Map<unknown, string>();
  return (event) => {
    const value = parseJsonObject(event.data);
    if (value === undefined) return [event];
    const whole = repaired(value, event);
    switch (value["type"]) {
      case "message_start":
        // A proxy may go on with another model's answer after the first one broke off.
        if (answer.hasContent) {
          const message = "a second answer began inside the first";
          return [toSse({ type: "error", error: { type: "api_error", message } })];
        }
        if (answer.isOpen) return [];
        answer.isOpen = true;
        return [whole];
      case "content_block_start":
        answer.hasContent = true;
        rememberInput(inputs, value);
        return [whole];
      case "content_block_delta":
        if (isObject(value["delta"]) && value["delta"]["type"] === "input_json_delta") {
          inputs.delete(value["index"]);
        }
        return [whole];
      case "content_block_stop":
        return [...lateInput(inputs, value["index"]), whole];
      case "message_delta":
        answer.hasReason ||= isObject(value["delta"]) && typeof value["delta"]["stop_reason"] === "string";
        return [whole];
      case "message_stop":
        return answer.hasReason ? [whole] : [unreasoned(), whole];
      default:
        return [whole];
    }
  };
}

function rememberInput(inputs: Map<unknown, string>, { index, content_block: block }: Fields): void {
  if (!isObject(block) || block["type"] !== "tool_use" || !isObject(block["input"])) return;
  if (Object.keys(block["input"]).length > 0) inputs.set(index, JSON.stringify(block["input"]));
}

/** The input that came with the start of a block, as the delta that LangChain reads. */
function lateInput(inputs: Map<unknown, string>, index: unknown): SseEvent[] {
  const json = inputs.get(index);
  inputs.delete(index);
  if (json === undefined) return [];
  return [
    toSse({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: json } }),
  ];
}

function unreasoned(): SseEvent {
  const usage = { output_tokens: 0 };
  return toSse({
    type: "message_delta",
    delta: { stop_reason: NO_REASON, stop_sequence: null, usage },
    usage,
  });
}

function toSse(value: { readonly type: string; readonly [key: string]: unknown }): SseEvent {
  return { name: value.type, data: JSON.stringify(value) };
}

function repaired(value: Fields, event: SseEvent): SseEvent {
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
