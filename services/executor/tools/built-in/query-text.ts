import { textLines } from "#shared/text-lines.ts";
import { selectJson, type TextAnswer } from "./select-json.ts";

/** A question about a kept text. */
export type TextQuery =
  | { readonly kind: "read"; readonly fromLine: number; readonly lines: number }
  | { readonly kind: "search"; readonly pattern: string; readonly isRegex: boolean; readonly context: number }
  | { readonly kind: "json"; readonly path: string };

const MAX_HITS = 1_000;

/** Answers a question about a text in at most about `maxChars` code units, and says how to go on where that is too short. */
export function queryText(text: string, query: TextQuery, maxChars: number): TextAnswer {
  switch (query.kind) {
    case "read":
      return readLines(text, query, maxChars);
    case "search":
      return searchLines(text, query, maxChars);
    case "json":
      return selectJson(text, query.path, maxChars);
    default:
      return query satisfies never;
  }
}

function readLines(
  text: string,
  { fromLine, lines }: Extract<TextQuery, { kind: "read" }>,
  maxChars: number,
): TextAnswer {
  const shown: string[] = [];
  let chars = 0;
  let isFull = false;
  let total = 0;
  for (const { start, end } of textLines(text)) {
    total += 1;
    if (isFull || total < fromLine || total >= fromLine + lines) continue;
    chars += end - start + 1;
    if (chars > maxChars && shown.length > 0) isFull = true;
    else shown.push(text.slice(start, end));
  }
  if (shown.length === 0) return failed(`The result has ${total} lines: there is no line ${fromLine}.`);
  const last = fromLine + shown.length - 1;
  const more = last < total ? `; go on with from_line ${last + 1}` : "";
  return found(`[Lines ${fromLine} to ${last} of ${total}${more}]\n${shown.join("\n")}`);
}

/** The lines to show around hits, in order and each once. */
interface ShownLine {
  readonly number: number;
  readonly isHit: boolean;
  readonly text: string;
}

function searchLines(
  text: string,
  { pattern, isRegex, context }: Extract<TextQuery, { kind: "search" }>,
  maxChars: number,
): TextAnswer {
  let isHit: (line: string) => boolean = (line) => line.includes(pattern);
  if (isRegex) {
    try {
      const regex = new RegExp(pattern, "u");
      isHit = (line) => regex.test(line);
    } catch (error) {
      return failed(
        `The pattern is no regular expression: ${error instanceof Error ? error.message : "invalid"}.`,
      );
    }
  }
  const shown: ShownLine[] = [];
  const before: ShownLine[] = [];
  let [number, hits, after, chars, lastShownHit] = [0, 0, 0, 0, 0];
  let isFull = false;
  const show = (line: ShownLine) => {
    chars += line.text.length + 12;
    if (chars > maxChars && shown.length > 0) isFull = true;
    if (isFull) return;
    shown.push(line);
    if (line.isHit) lastShownHit = line.number;
  };
  for (const { start, end } of textLines(text)) {
    number += 1;
    const line = text.slice(start, end);
    const hit = hits < MAX_HITS && isHit(line);
    if (hit) {
      hits += 1;
      for (const earlier of before.splice(0)) show(earlier);
      after = context;
      show({ number, isHit: true, text: line });
    } else if (after > 0) {
      after -= 1;
      show({ number, isHit: false, text: line });
    } else if (context > 0) {
      before.push({ number, isHit: false, text: line });
      if (before.length > context) before.shift();
    }
  }
  if (hits === 0) return found(`[No hit in ${number} lines]`);
  const count = hits === MAX_HITS ? `${hits} hits or more` : `${hits} ${hits === 1 ? "hit" : "hits"}`;
  const more = isFull ? `; shown are those up to line ${lastShownHit}, ask for less to see others` : "";
  return found(`[${count} in ${number} lines${more}]\n${formatLines(shown)}`);
}

/** As grep does: a colon behind the number of a hit, a hyphen behind that of its context, and a rule between groups. */
function formatLines(lines: readonly ShownLine[]): string {
  return lines
    .flatMap(({ number, isHit, text }, index) => {
      const follows = index === 0 || lines[index - 1]?.number === number - 1;
      const line = `${number}${isHit ? ":" : "-"} ${text}`;
      return follows ? [line] : ["--", line];
    })
    .join("\n");
}

function found(content: string): TextAnswer {
  return { content, isError: false };
}

function failed(content: string): TextAnswer {
  return { content, isError: true };
}
