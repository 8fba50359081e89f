import { useEffect } from "preact/hooks";
import { anchorOf } from "../../../session/anchor-of.ts";
import { citedSpans } from "../../../session/cited-spans.ts";
import { findSources } from "../../../session/citations.ts";
import { argumentsLine } from "../../../session/describe-entry.ts";
import { TermFinder } from "../../../session/find-terms.ts";
import { allLanesOf, finalAnalysis, type TimelineEntry } from "../../../session/session-view.ts";
import { shownText } from "../../../session/shown-text.ts";
import type { SessionStore } from "../session-store.ts";

/** Words of a conclusion that name an entry, or are in its result. */
export interface CitedWords {
  readonly entryId: string;
  readonly words: string;
  /** Where in the result; without it every place of them counts. */
  readonly at?: number | undefined;
}

/** Has an entry shown, by a click on a link to it, with these words marked. */
export function follow(store: SessionStore, showEntry: (entryId: string) => void, cited: CitedWords): void {
  store.followed.value = cited;
  // The same address once more is no change of it.
  if (location.hash === `#${anchorOf(cited.entryId)}`) showEntry(cited.entryId);
}

/** What the conclusions of a session cite: the only thing that other parts know of how citations are found. */
export interface Citations {
  /** Makes links of the words in an element that name an entry. Nothing moves. */
  readonly link: (place: HTMLElement) => void;
  /** By entry the words that name it. */
  readonly words: ReadonlyMap<string, readonly string[]>;
  /** The parts of a result to be marked for such words. */
  readonly spans: typeof citedSpans;
  /** The entries that the conclusion of the session names. */
  readonly concluded: ReadonlySet<string>;
}

const PAST_MS = 200;

interface CitationsPartProps {
  readonly store: SessionStore;
  readonly showEntry: (entryId: string) => void;
}

/** Finds what the conclusions cite, once the entries are there and with each new conclusion. It shows nothing itself. */
export function CitationsPart({ store, showEntry }: CitationsPartProps) {
  const view = store.view.value;
  const entries = () => allLanesOf(view).flatMap((lane) => lane.entries);
  const analyses = entries().filter(
    ({ type, status }) => type === "final_analysis" && status === "completed",
  );
  const texts = view.summary === undefined ? analyses : [view.summary, ...analyses];
  const isReading = store.isReading.value;
  const key = [isReading, store.at.value, ...texts.map(({ id }) => id)].join(" ");
  useEffect(() => {
    if (isReading || texts.length === 0) return undefined;
    // After the frame that shows the texts, and not with each step through the past.
    const timer = setTimeout(
      () => {
        const concluded = [view.summary, finalAnalysis(view)].flatMap((entry) => entry?.content ?? []);
        const all = texts.map(({ content }) => content);
        store.citations.value = citationsOf(findSources(all, entries()), concluded, (cited) =>
          follow(store, showEntry, cited),
        );
      },
      store.at.value === undefined ? 0 : PAST_MS,
    );
    return () => clearTimeout(timer);
  }, [store, key]);
  return null;
}

function citationsOf(
  sources: ReadonlyMap<string, TimelineEntry>,
  concluded: readonly string[],
  onFollow: (cited: CitedWords) => void,
): Citations {
  const finder = new TermFinder(sources.keys());
  const words = new Map<string, readonly string[]>();
  for (const [term, { id }] of sources) words.set(id, [...(words.get(id) ?? []), term]);
  const named = new Set<string>();
  for (const text of concluded) finder.find(text, (_at, term) => named.add(sources.get(term)?.id ?? ""));
  return {
    words,
    spans: citedSpans,
    concluded: named,
    link: (place) => {
      const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
      const texts: Text[] = [];
      while (walker.nextNode() !== null) {
        const { currentNode: node } = walker;
        // What a text links itself stays as it is.
        if (node instanceof Text && node.parentElement?.closest("a") === null) texts.push(node);
      }
      for (const text of texts) linkIn(text, finder, sources, onFollow);
    },
  };
}

/** Makes links of the terms in a text of the document, of overlapping ones of the first and longest. */
function linkIn(
  text: Text,
  finder: TermFinder,
  sources: ReadonlyMap<string, TimelineEntry>,
  onFollow: (cited: CitedWords) => void,
): void {
  const found: { readonly at: number; readonly term: string }[] = [];
  let end = 0;
  finder.find(text.data, (at, term) => {
    if (at < end) return;
    found.push({ at, term });
    end = at + term.length;
  });
  // From the end, so that the places before stay those of the text.
  for (const { at, term } of found.toReversed()) {
    const entry = sources.get(term);
    if (entry === undefined) continue;
    const words = text.splitText(at);
    words.splitText(term.length);
    const link = document.createElement("a");
    link.className = "source";
    link.href = `#${anchorOf(entry.id)}`;
    link.title = titleOf(entry);
    link.addEventListener("click", () => onFollow({ entryId: entry.id, words: term }));
    words.replaceWith(link);
    link.append(words);
  }
}

/** The call that an entry is, in one line. */
function titleOf({ call }: TimelineEntry): string {
  if (call === undefined) return "";
  return shownText(`${call.server}.${call.tool} ${argumentsLine(call.arguments)}`);
}
