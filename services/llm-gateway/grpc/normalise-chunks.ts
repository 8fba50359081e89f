import { safeCut } from "#shared/safe-cut.ts";
import type { Content } from "../providers/provider.ts";

/**
 * Makes any provider's chunks fit the contract: no text or thinking delta is empty or ends inside a surrogate pair.
 * Half a pair is held back and sent with the next delta of its kind, or as U+FFFD at the end. The total length in code
 * units does not change.
 */
export async function* normaliseChunks(source: AsyncIterable<Content>): AsyncGenerator<Content> {
  const pending = { text: "", thinking: "" };
  for await (const content of source) {
    if (content.$case !== "text" && content.$case !== "thinking") {
      yield content;
      continue;
    }
    const delta = content.value.content;
    if (pending[content.$case] === "" && delta !== "" && delta.isWellFormed()) {
      yield content;
      continue;
    }
    const text = pending[content.$case] + delta;
    const cut = safeCut(text, text.length);
    pending[content.$case] = text.slice(cut);
    if (cut > 0) yield { $case: content.$case, value: { content: text.slice(0, cut).toWellFormed() } };
  }
  for (const kind of ["thinking", "text"] as const) {
    if (pending[kind] !== "") yield { $case: kind, value: { content: pending[kind].toWellFormed() } };
  }
}
