import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { safeCut } from "#shared/safe-cut.ts";
import type { Excerpt } from "./list-schemas.ts";

/** What is read around the place that was found, and what of it is shown on each side. */
const READ = 300;
const SHOWN = 90;
/** Of a session's timeline, so much is looked through: a long one is not read for a row of a list. */
const MAX_ENTRIES = 100;
const ENTRY_HEAD = 1_000;
/** What a form of a word may end with, e.g. "evicting" of "evicted". */
const MAX_ENDING = 3;
const MIN_STEM = 4;

/** $1: the sessions; $2: the term, $3: the beginning of its longest word, both in lower case. The texts of the index have them like that. */
const READ_SNIPPETS = `
SELECT s.session_id, coalesce(
  (SELECT substr(t.content, greatest(p.at - ${READ / 2}, 1), ${READ})
   FROM (VALUES (1, 'analysis', s.final_analysis), (2, 'alert', s.alert_data)) AS t(rank, kind, content)
   JOIN session_texts x ON x.session_id = s.session_id AND x.kind = t.kind,
   LATERAL (SELECT position($2::text IN x.content) AS at) p
   WHERE p.at > 0 ORDER BY t.rank LIMIT 1),
  (SELECT substr(e.content, greatest(p.at - ${READ / 2}, 1), ${READ})
   FROM (SELECT left(content, ${ENTRY_HEAD}) AS content FROM timeline_events
         WHERE session_id = s.session_id AND status <> 'streaming' ORDER BY sequence_number LIMIT ${MAX_ENTRIES}) e,
   LATERAL (SELECT position($3::text IN lower(e.content)) AS at) p
   WHERE p.at > 0 LIMIT 1)) AS snippet
FROM alert_sessions s WHERE s.session_id = ANY($1::uuid[])`;

const Row = Type.Object({ session_id: Type.String(), snippet: Type.Union([Type.String(), Type.Null()]) });
const parseRow = compileParser("excerpt", Row);

/**
 * Where sessions of one page have the term: the line of the final analysis, else of the alert, else of the beginning of the timeline,
 * by id. It reads stored texts, which are masked; sessions of which nothing was found are left out.
 */
export async function readExcerpts(
  db: Queryable,
  ids: readonly string[],
  term: string,
): Promise<ReadonlyMap<string, Excerpt>> {
  const small = term.toLowerCase();
  const stem = stemOf(small);
  const rows = await selectRows(db, parseRow, READ_SNIPPETS, [ids, small, stem]);
  const excerpts = rows.map(
    ({ session_id, snippet }: Static<typeof Row>) =>
      [session_id, excerptOf(snippet ?? "", [small, stem])] as const,
  );
  return new Map(excerpts.flatMap(([id, excerpt]) => (excerpt === undefined ? [] : [[id, excerpt]])));
}

/** The longest word without the ending that another form of it may have. */
function stemOf(term: string): string {
  const words = term.split(/[^\p{L}\p{N}_-]+/u).toSorted((one, other) => other.length - one.length);
  const [word = term] = words;
  return word.slice(0, safeCut(word, Math.max(MIN_STEM, word.length - MAX_ENDING)));
}

/** The line of a text in which the first of `terms` stands that it has. */
function excerptOf(text: string, terms: readonly string[]): Excerpt | undefined {
  const small = text.toLowerCase();
  for (const term of terms) {
    const at = small.indexOf(term);
    // Letters that have another length in lower case are rare; then the place is not known.
    if (at === -1 || small.length !== text.length) continue;
    const [before = ""] = withoutJson(text.slice(0, at)).split("\n").slice(-1);
    // The stem of a word is found, the whole word is shown.
    const [rest = ""] = /^[\p{L}\p{N}_]*/u.exec(text.slice(at + term.length)) ?? [];
    const end = at + term.length + rest.length;
    const [after = ""] = withoutJson(text.slice(end)).split("\n", 1);
    return {
      before: endOf(before).trimStart(),
      match: text.slice(at, end),
      after: beginningOf(after).trimEnd(),
    };
  }
  return undefined;
}

/** A part of a text with the signs of JSON read as in a list of names and values; other texts are returned as they are. */
function withoutJson(part: string): string {
  if (!/"\s*:/u.test(part) && !/^"\s*[,}\]]/u.test(part)) return part;
  return part
    .replaceAll(/(?<!\\)["}\]]+(\s*[:,]\s*)?[{["]*/gu, (_signs, sign: string | undefined) =>
      sign === undefined ? "" : `${sign.trim()} `,
    )
    .replaceAll(/\\"/gu, '"')
    .replaceAll(/^[{[]+|[}\]]+$/gu, "");
}

/** The last words of a text. */
function endOf(text: string): string {
  if (text.length <= SHOWN) return text;
  return `…${text.slice(safeCut(text, text.length - SHOWN)).replace(/^\S*\s+(?=\S)/u, "")}`;
}

/** The first words of a text. */
function beginningOf(text: string): string {
  if (text.length <= SHOWN) return text;
  return `${text.slice(0, safeCut(text, SHOWN)).replace(/(?<=\S)\s+\S*$/u, "")}…`;
}
