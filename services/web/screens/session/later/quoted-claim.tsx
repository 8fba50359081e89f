import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { anchorOf } from "../../../session/anchor-of.ts";
import { placeOfLines } from "../../../session/place-of-lines.ts";
import { allLanesOf } from "../../../session/session-view.ts";
import { shownText } from "../../../session/shown-text.ts";
import { wordDiff } from "../../compare/word-diff.ts";
import type { SessionStore } from "../session-store.ts";
import { CHECKED_TEXT } from "./checked-text.ts";
import { follow } from "./citations.tsx";
import { WholeResult } from "./whole-result.tsx";

type Checked = ApiResponse<"GET /api/v1/sessions/:id/conclusion">;
/** A claim, or something that was ruled out, with what became of its quote. */
export type QuotedClaim = Omit<Checked["claims"][number], "id" | "cause">;

/** Where quotes are shown, and how a result is. */
export interface Quoting {
  readonly store: SessionStore;
  readonly showEntry: (entryId: string) => void;
}

const MEANINGS: Readonly<Record<string, string>> = CHECKED_TEXT.meanings;
const NOTES: Readonly<Record<string, string>> = CHECKED_TEXT.notes;
const MARKS: Readonly<Record<QuotedClaim["outcome"], string>> = {
  verified: "✓",
  altered: "≠",
  absent: "✕",
  error_result: "!",
  unchecked: "?",
  other_session: "↗",
};

/** Something that was ruled out, in the form of a claim. */
export function ruledOutClaim({ theory, because, ...quoted }: Checked["ruled_out"][number]): QuotedClaim {
  return { ...quoted, text: `${theory}: ${because}` };
}

interface ClaimProps extends Quoting {
  readonly text: string;
  /** Those for this text. */
  readonly quotes: readonly QuotedClaim[];
  readonly isDropped: boolean;
}

/** A claim with the words that show it. */
export function Claim({ text, quotes, isDropped, ...quoting }: ClaimProps) {
  return (
    <>
      <p>{isDropped ? <s>{shownText(text)}</s> : shownText(text)}</p>
      {quotes.map((quoted, index) => (
        <Quote key={index} quoted={quoted} {...quoting} />
      ))}
    </>
  );
}

function Quote({ quoted, store, showEntry }: Quoting & { readonly quoted: QuotedClaim }) {
  const { outcome, quote, at_text, found_in, event_id, interaction_id } = quoted;
  const at = useMemo(() => placeIn(store, quoted), [store, quoted]);
  const isLeftOut = event_id !== null && at_text !== null && at === undefined;
  const isAltered = outcome === "altered" && at_text !== null;
  return (
    <div class={`checked-quote ${outcome}`}>
      <p class="small">
        <span class="checked-outcome">
          <span aria-hidden="true">{MARKS[outcome]}</span> {CHECKED_TEXT.outcomes[outcome]}
        </span>{" "}
        <Source quoted={quoted} at={at} store={store} showEntry={showEntry} />
      </p>
      {quote !== "" && (
        <Words label={isAltered ? CHECKED_TEXT.quoted : undefined}>
          {isAltered ? <Differing quote={quote} source={at_text} /> : shownText(quote)}
        </Words>
      )}
      {isAltered && <Words label={CHECKED_TEXT.says}>{shownText(at_text)}</Words>}
      <p class="small soft">
        {meaningOf(quoted)}
        {found_in !== null && ` ${CHECKED_TEXT.foundIn(shownText(found_in))}`}
        {isLeftOut && ` ${CHECKED_TEXT.leftOut}`}
      </p>
      {isLeftOut && interaction_id !== null && (
        <WholeResult
          sessionId={store.id}
          interactionId={interaction_id}
          words={at_text}
          line={quoted.line_from ?? 1}
        />
      )}
    </div>
  );
}

/** What an outcome that is not `verified` means, or how a verified quote differs. */
function meaningOf({ outcome, note }: QuotedClaim): string {
  if (outcome !== "verified") return MEANINGS[note ?? ""] ?? MEANINGS[outcome] ?? "";
  return (note ?? "")
    .split(", ")
    .flatMap((one) => NOTES[one] ?? [])
    .join(", ");
}

/** Where the words of a source are in the result that the timeline shows; undefined if they are not there. */
function placeIn(store: SessionStore, { event_id, at_text, line_from }: QuotedClaim): number | undefined {
  if (event_id === null || at_text === null) return undefined;
  const entries = allLanesOf(store.view.peek()).flatMap((lane) => lane.entries);
  const entry = entries.find(({ id }) => id === event_id);
  return placeOfLines(entry?.content ?? "", at_text, line_from ?? 1);
}

interface SourceProps extends Quoting {
  readonly quoted: QuotedClaim;
  readonly at: number | undefined;
}

/** The name of a result, which leads to it at its line. */
function Source({ quoted, at, store, showEntry }: SourceProps) {
  const { source, line_from: line, line_to, event_id: entryId, at_text: words } = quoted;
  const name = shownText(source);
  const place = line === null ? name : CHECKED_TEXT.place(name, line, line_to ?? line);
  if (entryId === null) return <span class="soft">{place}</span>;
  return (
    <a
      class="source"
      href={`#${anchorOf(entryId)}`}
      title={CHECKED_TEXT.open(place)}
      onClick={words === null ? undefined : () => follow(store, showEntry, { entryId, words, at })}
    >
      {place}
    </a>
  );
}

interface WordsProps {
  readonly label: string | undefined;
  readonly children: ComponentChildren;
}

function Words({ label, children }: WordsProps) {
  return (
    <div>
      {label !== undefined && <span class="small soft">{label}</span>}
      <blockquote class="mono" dir="auto">
        {children}
      </blockquote>
    </div>
  );
}

/** A quote with the words marked that its source does not have there. */
function Differing({ quote, source }: { readonly quote: string; readonly source: string }) {
  const parts = wordDiff(shownText(quote), shownText(source)).filter(({ side }) => side !== "b");
  return (
    <>{parts.map(({ text, side }, index) => (side === "both" ? text : <mark key={index}>{text}</mark>))}</>
  );
}
