import { useMemo, useState } from "preact/hooks";
import { CopyButton } from "../../parts/copy-button.tsx";
import { laterPart } from "../../parts/later-part.tsx";
import type { Citations, CitedWords } from "./later/citations.tsx";
import { findAll, pageAt, pageStarts, PAGE_UNITS } from "../../session/result-pages.ts";
import { shownText } from "../../session/shown-text.ts";
import { TEXT } from "../../text.ts";
import { loadRare } from "../load-rare.ts";
import "./result-view.css";

const JsonTree = laterPart(async () => (await loadRare()).JsonTree);

interface ResultViewProps {
  readonly text: string;
  readonly label: string;
  /** Shown instead of an empty text. */
  readonly empty?: string | undefined;
  /** Breaks long lines: an error is read, a table keeps its columns. */
  readonly wraps?: boolean;
  /** Words that a conclusion cites: their lines are marked. */
  readonly cited?: readonly string[];
  /** Finds these lines. */
  readonly spans?: Citations["spans"] | undefined;
  /** Those that the reader followed: the part with them is shown. */
  readonly followed?: Pick<CitedWords, "words" | "at"> | undefined;
}

const NO_WORDS: readonly string[] = [];

/** A text of a tool: JSON as a tree, anything else letter by letter with its columns; a long one in parts. */
export function ResultView({
  text,
  label,
  empty,
  wraps = false,
  cited = NO_WORDS,
  spans,
  followed,
}: ResultViewProps) {
  const json = useMemo(() => parseJson(text), [text]);
  const at = followed?.at;
  const first = [followed?.words, ...cited].find((words) => words !== undefined && text.includes(words));
  return (
    <div class="result">
      <div class="result-head">
        <span class="small soft">{label}</span>
        {text !== "" && <CopyButton class="plain small" value={text} />}
      </div>
      {text === "" && empty !== undefined ? (
        <p class="soft">{empty}</p>
      ) : json === undefined || first !== undefined ? (
        // The lines of a text can be marked.
        <TextPages
          key={`${at} ${first}`}
          text={json === undefined || at !== undefined ? text : textOf(json.value, text, first)}
          label={label}
          wraps={wraps}
          cited={cited}
          spans={spans}
          followed={first}
          at={at}
        />
      ) : (
        <JsonTree value={json.value} openDepth={text.length <= SMALL_JSON ? Infinity : undefined} />
      )}
    </div>
  );
}

/** So short a text is shown whole: an alert, or the arguments of a call. */
const SMALL_JSON = 3_000;

function parseJson(text: string): { readonly value: object } | undefined {
  if (text.length > PAGE_UNITS || !/^\s*[[{]/u.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { value } : undefined;
  } catch {
    // Text that only begins like JSON.
    return undefined;
  }
}

/** JSON as text, in lines unless words of it go over the end of one. */
function textOf(value: object, written: string, words: string | undefined): string {
  const lines = JSON.stringify(value, undefined, 2);
  return words === undefined || lines.includes(words) ? lines : written;
}

/** The longest line that is laid out as one: columns matter up to there. */
const MAX_LINE = 2_000;

type TextPagesProps = Required<Omit<ResultViewProps, "empty" | "followed">> & {
  readonly followed: string | undefined;
  /** Where they are; undefined for every place. */
  readonly at: number | undefined;
};

function TextPages({ text, label, wraps, cited, spans, followed, at }: TextPagesProps) {
  const starts = useMemo(() => pageStarts(text), [text]);
  const [page, setPage] = useState(() => pageAt(starts, at ?? text.indexOf(followed ?? "")));
  const [word, setWord] = useState("");
  const [found, setFound] = useState(0);
  const matches = useMemo(() => findAll(text, word), [text, word]);
  const start = starts[page] ?? 0;
  const part = text.slice(start, starts[page + 1] ?? text.length);
  const goTo = (index: number) => {
    const match = matches.at(index % Math.max(1, matches.length));
    if (match === undefined) return;
    setFound(matches.indexOf(match));
    setPage(pageAt(starts, match));
  };
  const search = (wanted: string) => {
    setWord(wanted);
    setFound(0);
    const [first] = findAll(text, wanted);
    if (first !== undefined) setPage(pageAt(starts, first));
  };
  const hasLongLine = useMemo(() => part.split("\n").some((line) => line.length > MAX_LINE), [part]);
  const body = useMemo(() => {
    if (word !== "") return marked(part, word);
    const from = (at ?? NaN) - start;
    const to = Math.min(from + (followed?.length ?? 0), part.length);
    const own = from >= 0 && from < to ? [{ from, to }] : [];
    return withCited(part, at === undefined ? (spans?.(part, cited) ?? []) : own, followed);
  }, [part, start, word, cited, spans, followed, at]);
  return (
    <>
      {starts.length > 1 && (
        <div class="result-pages">
          <button type="button" class="button" disabled={page === 0} onClick={() => setPage(page - 1)}>
            {TEXT.session.previous}
          </button>
          <span class="small numbers" role="status">
            {TEXT.session.page(page + 1, starts.length)}
          </span>
          <button
            type="button"
            class="button"
            disabled={page + 1 >= starts.length}
            onClick={() => setPage(page + 1)}
          >
            {TEXT.session.next}
          </button>
          <input
            type="search"
            aria-label={TEXT.session.searchResult}
            placeholder={TEXT.session.searchResult}
            value={word}
            onInput={({ currentTarget }) => search(currentTarget.value)}
            onKeyDown={({ key }) => key === "Enter" && goTo(found + 1)}
          />
          {word !== "" && <span class="small numbers">{TEXT.session.found(found + 1, matches.length)}</span>}
        </div>
      )}
      <pre class={wraps || hasLongLine ? "wrapped" : ""} tabIndex={0} role="group" aria-label={label}>
        {body}
      </pre>
    </>
  );
}

const MAX_MARKS = 500;

/** A part of the text with the lines marked in which cited words are. */
function withCited(part: string, spans: ReturnType<Citations["spans"]>, followed: string | undefined) {
  const pieces = [];
  let last = 0;
  for (const { from, to } of spans) {
    const line = part.slice(from, to);
    const name = followed !== undefined && line.includes(followed) ? "cited followed" : "cited";
    pieces.push(
      shownText(part.slice(last, from)),
      <mark key={from} class={name}>
        {shownText(line)}
      </mark>,
    );
    last = to;
  }
  return [...pieces, shownText(part.slice(last))];
}

/** A part of the text with the word marked where it is. */
function marked(part: string, word: string) {
  const pieces = [];
  let end = 0;
  for (const at of findAll(part, word).slice(0, MAX_MARKS)) {
    pieces.push(shownText(part.slice(end, at)), <mark key={at}>{part.slice(at, at + word.length)}</mark>);
    end = at + word.length;
  }
  return [...pieces, shownText(part.slice(end))];
}
