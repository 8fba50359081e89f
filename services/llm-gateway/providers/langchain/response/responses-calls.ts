import { retryable } from "../../../errors/llm-error.ts";
import type { JsonObject } from "#shared/json-object.ts";
import { isObject } from "#shared/exact-json.ts";

/** A function call of one answer and its arguments by their source; undefined where the source has not spoken. */
interface Call {
  /** LangChain's index of the call. */
  readonly index: number;
  /** The server's index. */
  readonly wireIndex: unknown;
  readonly itemId: unknown;
  readonly callId: unknown;
  /** With the item when it was announced; the other sources repeat it. */
  begun: string;
  /** In deltas. */
  streamed: string;
  /** In an event that closes the arguments, the item or the answer. */
  closing: string | undefined;
}

/** In code units, of all calls of an answer; real arguments are nowhere near this long. */
const MAX_LENGTH = 8 * 1024 * 1024;

/**
 * Collects the function calls of one answer of the Responses API. Servers send arguments in deltas, in closing events
 * (`function_call_arguments.done`, `output_item.done`, the output of `response.completed`) or in both; a closing event has all of
 * them and counts. `read` and `end` return the events for LangChain, which adds up deltas only. `read` throws RetryableError
 * `provider_error` if the arguments have no end.
 */
export class ResponsesCalls {
  readonly #calls: Call[] = [];
  #length = 0;

  /** Takes an event about an item; undefined if the event is not about a function call. */
  read(event: JsonObject): JsonObject[] | undefined {
    const item = isObject(event["item"]) ? event["item"] : undefined;
    switch (event["type"]) {
      case "response.output_item.added":
      case "response.output_item.done":
        // Tools in free text are never offered: they run at the provider.
        if (item?.["type"] === "custom_tool_call") return [];
        if (item?.["type"] !== "function_call") return undefined;
        return this.#readItem(item, event);
      case "response.function_call_arguments.delta": {
        const call = this.#find({ itemId: event["item_id"], index: event["output_index"] });
        if (call === undefined || typeof event["delta"] !== "string") return [];
        this.#count(event["delta"]);
        call.streamed += event["delta"];
        // An empty delta shows that the provider is not silent.
        return [delta(call, "")];
      }
      case "response.function_call_arguments.done": {
        const call = this.#find({ itemId: event["item_id"], index: event["output_index"] });
        if (call !== undefined) closeWith(call, event);
        return [];
      }
      case "response.custom_tool_call_input.delta":
        return [];
      default:
        return undefined;
    }
  }

  /** Takes the output of the answer's last event; returns all arguments, and calls that come only there. */
  end(output: unknown): JsonObject[] {
    const items: unknown[] = Array.isArray(output) ? output : [];
    const announced = [...this.#calls];
    const left = new Set(announced);
    const late = items
      .filter(isObject)
      .filter(({ type }) => type === "function_call")
      .flatMap((item, place) => {
        const wanted = { callId: item["call_id"], itemId: item["id"] };
        const call = [...left].find((known) => isSame(known, wanted)) ?? announced[place];
        if (call !== undefined) closeWith(call, item);
        if (call !== undefined) left.delete(call);
        return call === undefined ? this.#open(item, {}) : [];
      });
    const whole = ({ closing, streamed, begun }: Call) => closing ?? (streamed === "" ? begun : streamed);
    return [...late, ...this.#calls.map((call) => delta(call, whole(call)))];
  }

  #readItem(item: JsonObject, event: JsonObject): JsonObject[] {
    const isDone = event["type"] === "response.output_item.done";
    const wanted = { callId: item["call_id"], itemId: item["id"], index: event["output_index"] };
    const known = isDone ? this.#find(wanted) : this.#announced(wanted);
    if (known !== undefined && isDone) closeWith(known, item);
    return known === undefined ? this.#open(item, event) : [];
  }

  /** Adds a call and returns the event that announces it. */
  #open(item: JsonObject, event: JsonObject): JsonObject[] {
    const wanted = event["output_index"];
    const taken = new Set(this.#calls.map(({ index }) => index));
    const index = typeof wanted === "number" && !taken.has(wanted) ? wanted : Math.max(-1, ...taken) + 1;
    this.#count(JSON.stringify(item));
    this.#calls.push({
      index,
      wireIndex: wanted,
      itemId: item["id"],
      callId: item["call_id"],
      begun: argumentsOf(item) ?? "",
      streamed: "",
      closing: undefined,
    });
    const announced = { ...item, arguments: "" };
    return [{ ...event, type: "response.output_item.added", output_index: index, item: announced }];
  }

  /** The call that is announced once more; another index is another call, even with the same id, and so is another id. */
  #announced(wanted: Wanted): Call | undefined {
    return this.#calls.findLast((call) =>
      wanted.index === undefined ? isSame(call, wanted) : isAt(call, wanted) && !isOther(call, wanted),
    );
  }

  /** The call that an event is about: by index and id, by id, else by index. */
  #find(wanted: Wanted): Call | undefined {
    const { index } = wanted;
    const at = this.#calls.filter((call) => index !== undefined && isAt(call, wanted));
    return (
      at.findLast((call) => !isOther(call, wanted)) ??
      this.#calls.findLast((call) => isSame(call, wanted)) ??
      at.at(-1)
    );
  }

  #count(text: string): void {
    this.#length += text.length;
    if (this.#length > MAX_LENGTH) {
      throw retryable("provider_error", "the arguments of the model's tool calls have no end");
    }
  }
}

/** What an event says of the call that it is about. */
interface Wanted {
  readonly callId?: unknown;
  readonly itemId?: unknown;
  readonly index?: unknown;
}

function isAt({ wireIndex }: Call, { index }: Wanted): boolean {
  return wireIndex === index;
}

function isSame(call: Call, { callId, itemId }: Wanted): boolean {
  if (isId(callId) && isId(call.callId)) return callId === call.callId;
  return isId(itemId) && itemId === call.itemId;
}

function isOther(call: Call, { callId, itemId }: Wanted): boolean {
  if (isId(callId) && isId(call.callId)) return callId !== call.callId;
  return isId(itemId) && isId(call.itemId) && itemId !== call.itemId;
}

function isId(id: unknown): boolean {
  return typeof id === "string" && id !== "";
}

/** A closing event without arguments does not take back those that were streamed. */
function closeWith(call: Call, fields: JsonObject): void {
  const args = argumentsOf(fields);
  if (args !== undefined && args !== "") call.closing = args;
}

function argumentsOf({ arguments: args }: JsonObject): string | undefined {
  if (typeof args === "string") return args;
  return isObject(args) ? JSON.stringify(args) : undefined;
}

function delta({ index }: Call, text: string): JsonObject {
  return { type: "response.function_call_arguments.delta", output_index: index, delta: text };
}
