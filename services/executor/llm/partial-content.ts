import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { safeCut } from "#shared/safe-cut.ts";
import type { StreamKind } from "../persist/timeline-writer.ts";
import { ReactSections } from "../react-parser/react-sections.ts";
import type { LlmReply } from "./llm-reply.ts";

/** Of the text of a failed call that is kept in one row, in code units. */
const MAX_LENGTH = 100_000;
const FAILED_NOTE = "[The answer broke off here.]";
const LOOP_NOTE = "[The rest was left out: it repeats itself.]";
const LONG_NOTE = "[The rest of this failed answer was left out.]";

/**
 * What a timeline row of a failed call keeps: the text that was streamed into it, up to what only repeats itself and at most
 * 100,000 code units, and a note where it ends. `isReact`: the row has one section of the reply.
 */
export function partialContent(
  { kind, text }: { readonly kind: StreamKind; readonly text: string },
  reply: LlmReply,
  isReact: boolean,
): string {
  const kept = keptLength(kind, reply, isReact);
  const whole = kept === undefined ? text : text.slice(0, safeCut(text, kept));
  const cut = whole.slice(0, safeCut(whole, MAX_LENGTH));
  const note = cut.length < whole.length ? LONG_NOTE : kept === undefined ? FAILED_NOTE : LOOP_NOTE;
  return cut === "" ? note : `${cut}\n\n${note}`;
}

/** The length of a row before what repeats itself; undefined if nothing of it does. */
function keptLength(kind: StreamKind, { outcome, text }: LlmReply, isReact: boolean): number | undefined {
  if (outcome.kind !== "failed") return undefined;
  if (kind === "thinking") return outcome.keepThinking;
  if (outcome.keepText === undefined) return undefined;
  if (!isReact) return outcome.keepText;
  const sections = new ReactSections();
  const kept = text.slice(0, safeCut(text, outcome.keepText));
  const section = kind === "thought" ? "thought" : "final_answer";
  return [...sections.push(kept), ...sections.end()]
    .filter((part) => part.section === section)
    .reduce((length, { delta }) => length + postgresSafeText(delta).text.length, 0);
}
