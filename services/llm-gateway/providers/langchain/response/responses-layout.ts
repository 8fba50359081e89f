import type { LangchainStatePart } from "../langchain-state.ts";
import { isObject } from "#shared/exact-json.ts";
import type { OutputItem } from "./langchain-chunk.ts";

/**
 * The layout of a Responses API output for the provider state: encrypted reasoning items unchanged, and the positions
 * of text and tool calls. Reasoning without encrypted content is omitted, because only OpenAI's server could restore
 * it. `callIds` maps the provider's call ids to those in the stored message, several where
 * the provider has used an id again.
 */
export function responsesLayout(
  output: readonly OutputItem[],
  callIds: ReadonlyMap<string | undefined, readonly string[]>,
): LangchainStatePart[] {
  const used = new Map<string | undefined, number>();
  return output.flatMap((item): LangchainStatePart[] => {
    const { type, phase } = item;
    if (type === "reasoning") {
      return typeof item.encrypted_content === "string" ? [{ block: reasoningItem(item) }] : [];
    }
    if (type === "function_call") {
      const wireId = item.call_id ?? undefined;
      const place = used.get(wireId) ?? 0;
      used.set(wireId, place + 1);
      const callId = callIds.get(wireId)?.[place];
      return callId === undefined ? [] : [{ call: callId }];
    }
    if (type !== "message") return [];
    return [{ text: textLength(item.content), ...(typeof phase === "string" ? { phase } : {}) }];
  });
}

const REASONING_KEYS = new Set(["id", "type", "summary", "encrypted_content"]);

/** Only the keys that the API accepts as input, without output-only ones such as `status`. */
function reasoningItem(item: OutputItem): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).filter(([key]) => REASONING_KEYS.has(key)));
}

function textLength(content: unknown): number {
  const parts: unknown[] = Array.isArray(content) ? content : [];
  return parts
    .filter(isObject)
    .reduce((sum, { text }) => sum + (typeof text === "string" ? text.length : 0), 0);
}
