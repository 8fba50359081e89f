import type { JsonObject } from "#shared/json-object.ts";
import { isObject } from "#shared/exact-json.ts";

/**
 * Passes on text and raw reasoning of one answer of the Responses API in the form that LangChain reads: raw reasoning
 * (`reasoning_text`) as a summary, unless the item has a real summary too, and what comes only in a closing event as a delta.
 */
export class ResponsesLateText {
  /** The parts that had deltas. */
  readonly #streamed = new Set<string>();
  /** The items whose summary or raw reasoning is shown; the other one of the two would repeat it. */
  readonly #shown = new Map<string, "summary" | "raw">();

  /** The events to pass on; undefined to pass on the event as it is. */
  read(event: JsonObject): JsonObject[] | undefined {
    switch (event["type"]) {
      case "response.reasoning_summary_text.delta":
        return this.#isShown(event, "summary") ? undefined : [];
      case "response.reasoning_text.delta":
        this.#streamed.add(partOf(event));
        return this.#reasoning(event, event["delta"]);
      case "response.reasoning_text.done":
        return this.#streamed.has(partOf(event)) ? [] : this.#late(event, event["text"]);
      case "response.output_text.delta":
        this.#streamed.add(partOf(event));
        return undefined;
      case "response.output_text.done":
        if (this.#streamed.has(partOf(event)) || typeof event["text"] !== "string") return undefined;
        this.#streamed.add(partOf(event));
        return [{ ...event, type: "response.output_text.delta", delta: event["text"] }];
      case "response.output_item.done":
        return this.#readItem(event);
      default:
        return undefined;
    }
  }

  /** Raw reasoning that comes only with the whole item. */
  #readItem(event: JsonObject): JsonObject[] | undefined {
    const item = isObject(event["item"]) ? event["item"] : {};
    if (item["type"] !== "reasoning" || this.#shown.has(itemOf(event))) return undefined;
    const parts: unknown[] = Array.isArray(item["content"]) ? item["content"] : [];
    const text = parts
      .filter(isObject)
      .filter(({ type }) => type === "reasoning_text")
      .map(({ text: part }) => (typeof part === "string" ? part : ""))
      .join("\n\n");
    return text === "" ? undefined : [...this.#reasoning(event, text), event];
  }

  #late(event: JsonObject, text: unknown): JsonObject[] {
    this.#streamed.add(partOf(event));
    return this.#reasoning(event, text);
  }

  #reasoning(event: JsonObject, text: unknown): JsonObject[] {
    if (typeof text !== "string" || text === "" || !this.#isShown(event, "raw")) return [];
    return [
      {
        type: "response.reasoning_summary_text.delta",
        output_index: event["output_index"],
        // LangChain's name for the block; raw reasoning has no place among the summaries.
        summary_index: partOf(event),
        delta: text,
      },
    ];
  }

  #isShown(event: JsonObject, kind: "summary" | "raw"): boolean {
    const item = itemOf(event);
    const shown = this.#shown.get(item) ?? kind;
    this.#shown.set(item, shown);
    return shown === kind;
  }
}

function itemOf({ output_index: index, item_id: id }: JsonObject): string {
  return JSON.stringify(index ?? id);
}

function partOf(event: JsonObject): string {
  const { type, content_index: index = 0 } = event;
  const kind = typeof type === "string" ? type.split(".")[1] : "";
  return `${kind} ${itemOf(event)} ${JSON.stringify(index)}`;
}
