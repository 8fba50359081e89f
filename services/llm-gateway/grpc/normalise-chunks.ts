import { safeCut } from "#shared/surrogate-guard.ts";
import type { Content } from "../providers/provider.ts";

/**
 * Makes any provider's chunks fit the contract: no text or thinking delta is empty or ends inside a surrogate pair
 * (the half is held back and comes with the next delta of its kind, or at the end as U+FFFD). Lengths in UTF-16 units
 * stay what they were.
 */
export async function* normaliseChunks(source: AsyncIterable<Content>): AsyncGenerator<Content> {
  const held = { text: "", thinking: "" };
  for await (const content of source) {
    if (content.$case !== "text" && content.$case !== "thinking") {
      yield content;
      continue;
    }
    const text = held[content.$case] + content.value.content;
    const cut = safeCut(text, text.length);
    held[content.$case] = text.slice(cut);
    if (cut > 0) yield { $case: content.$case, value: { content: text.slice(0, cut).toWellFormed() } };
  }
  for (const kind of ["thinking", "text"] as const) {
    if (held[kind] !== "") yield { $case: kind, value: { content: held[kind].toWellFormed() } };
  }
}
