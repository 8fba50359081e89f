import { isObject } from "../../../parse-json.ts";
import type { OutputItem } from "./langchain-chunk.ts";
import type { LangchainStatePart } from "../langchain-state.ts";

/**
 * The layout of a Responses API's whole output, for the provider's state: reasoning as it came, where it is encrypted
 * and can so be sent back by someone who keeps no state, and the places of text and tool calls. `callIds` has the
 * ids under which calls were handed out, by the provider's own.
 */
export function responsesLayout(
  output: readonly OutputItem[],
  callIds: ReadonlyMap<string | undefined, string>,
): LangchainStatePart[] {
  return output.flatMap((item): LangchainStatePart[] => {
    const { type, phase } = item;
    if (type === "reasoning") {
      return typeof item.encrypted_content === "string" ? [{ block: reasoningItem(item) }] : [];
    }
    if (type === "function_call") {
      const callId = callIds.get(item.call_id ?? undefined);
      return callId === undefined ? [] : [{ call: callId }];
    }
    if (type !== "message") return [];
    return [{ text: textLength(item.content), ...(typeof phase === "string" ? { phase } : {}) }];
  });
}

const REASONING_KEYS = new Set(["id", "type", "summary", "encrypted_content"]);

/** Without what is only told, not taken: a status, for instance. */
function reasoningItem(item: OutputItem): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).filter(([key]) => REASONING_KEYS.has(key)));
}

function textLength(content: unknown): number {
  const parts: unknown[] = Array.isArray(content) ? content : [];
  return parts
    .filter(isObject)
    .reduce((sum, { text }) => sum + (typeof text === "string" ? text.length : 0), 0);
}
