import { MIN_TERM } from "./find-terms.ts";

/** A longer text is a passage that a model wrote itself. */
const MAX_TERM = 200;
/** So much of a text is read, and so many terms are taken. */
const MAX_READ = 128 * 1024;
const MAX_TERMS = 400;

/** Quotation marks and code marks, which say that the words come from elsewhere. */
const QUOTED = [/`([^`\n]{1,200})`/gu, /["“„«]([^"“”„«»\n]{1,200})["”“»]/gu];
const TOKEN = /[\p{L}\p{N}_@./-]{1,200}/gu;
const FILE = /^[\p{L}\p{N}_@./-]*[\p{L}\p{N}_-]\.[a-z][a-z\d]{0,7}$/iu;
/** A line of a fenced block or of a quotation. */
const FENCE = /^\s*(?:```|~~~)/u;
const QUOTATION = /^\s*>\s?/u;

/** What a text may name its sources by. */
interface Candidates {
  /** Files and tools. */
  readonly names: ReadonlySet<string>;
  /** Words of results. */
  readonly quotes: ReadonlySet<string>;
}

/**
 * What texts in Markdown may name their sources by: files, tools, words in quotation marks or code. Common words are left out, also
 * where they are the name of a tool, such as `pods`.
 */
export function findCandidates(texts: readonly string[], tools: ReadonlySet<string>): Candidates {
  const [names, quotes] = [new Set<string>(), new Set<string>()];
  const take = (set: Set<string>, term: string) => {
    if (term.length < MIN_TERM || term.length > MAX_TERM || names.size + quotes.size >= MAX_TERMS) return;
    if (isTelling(term)) set.add(term);
  };
  for (const text of texts) {
    const read = text.slice(0, MAX_READ);
    for (const [written] of read.matchAll(TOKEN)) {
      const token = written.replace(/^[./-]{1,3}(?=[\p{L}\p{N}_])|[./-]+$/gu, "");
      if (!FILE.test(token) && !tools.has(token)) continue;
      take(names, token);
    }
    for (const quoted of quotedIn(read)) {
      // A model leaves words out where it writes an ellipsis.
      for (const piece of quoted.split(/…|\.\.\./u)) {
        const term = piece.trim();
        if (!names.has(term)) take(quotes, term);
      }
    }
  }
  return { names, quotes };
}

function quotedIn(text: string): readonly string[] {
  const found = QUOTED.flatMap((quoted) => [...text.matchAll(quoted)].map(([, words = ""]) => words));
  let isFenced = false;
  for (const line of text.split("\n")) {
    if (FENCE.test(line)) isFenced = !isFenced;
    else if (isFenced || QUOTATION.test(line)) found.push(line.replace(QUOTATION, ""));
  }
  return found;
}

/** True for what is unlikely to stand somewhere by chance: several words, or one with a sign, a digit or a capital within. */
function isTelling(term: string): boolean {
  if (/^\S+$/u.test(term)) return /[^\p{L}]|\p{Ll}\p{Lu}/u.test(term);
  return term.length >= 2 * MIN_TERM;
}
