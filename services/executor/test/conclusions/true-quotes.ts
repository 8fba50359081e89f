import { cellsOf, isRow, lineOf, negates, pick, plain, type MakeQuote, type Random } from "./quote-kinds.ts";
import type { RealText } from "./real-texts.ts";

const MAX = 600;

/** Words of a line without those behind a negation, from the first to the last one of a random range. */
function partOf(line: string, random: Random): string | null {
  const words = line.trim().split(/\s+/u);
  const from = Math.floor(random() * words.length * 0.6);
  const to = from + 2 + Math.floor(random() * (words.length - from));
  const part = words.slice(from, to).join(" ");
  const isBehindNegation = negates(words.slice(Math.max(0, from - 2), from).join(" "));
  return plain(part).replaceAll(" ", "").length < 12 || isBehindNegation ? null : part;
}

function memberOf(
  { objects }: RealText,
  random: Random,
): readonly [string, string | number | boolean] | null {
  const members = Object.entries(pick(random, objects) ?? {});
  const [key, value] = pick(random, members) ?? ["", null];
  const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  if (!isScalar || `${key}${value}`.length < 10 || `${key}${value}`.length > MAX - 20) return null;
  return plain(String(value)) === "" ? null : [key, value];
}

/** A line with a number changed by `change`. */
function withNumber(
  text: RealText,
  random: Random,
  number: RegExp,
  change: (number: string) => string | null,
): { quote: string } | null {
  const line = lineOf(text, random, (one) => number.test(one));
  const [found] = number.exec(line ?? "") ?? [];
  const changed = found === undefined ? null : change(found);
  return line === undefined || found === undefined || changed === null
    ? null
    : { quote: line.replace(number, changed) };
}

function rounded(number: string): string | null {
  const places = number.split(".")[1]?.length ?? 0;
  for (let to = places - 1; to >= 1; to -= 1) {
    const short = Number(number).toFixed(to);
    if (short.replaceAll(/^-?0*\.?0*|\./gu, "").length >= 2) return short;
  }
  return null;
}

const TYPOGRAPHIC: readonly (readonly [RegExp, string])[] = [
  [/"([^"]*)"/gu, "“$1”"],
  [/'/gu, "’"],
  [/ - /gu, " – "],
  [/ /u, "\u00A0"],
];

/** Quotes that a careful reader would accept, by their kinds. */
export const TRUE_QUOTES: Readonly<Record<string, MakeQuote>> = {
  line: (text, random) => made(lineOf(text, random)),
  part: (text, random) => made(partOf(lineOf(text, random) ?? "", random)),
  wrapped: (text, random) => {
    const line = lineOf(text, random, (one) => one.trim().includes(" "));
    return made(line?.replaceAll(/ +/gu, (space) => (random() < 0.3 ? "\n   " : space)));
  },
  joined: ({ text }, random) => {
    const lines = text.split("\n");
    const from = Math.floor(random() * lines.length);
    const some = lines
      .slice(from, from + 2 + Math.floor(random() * 2))
      .map((line) => line.trim())
      .join(" ");
    return some.length > MAX || plain(some).length < 16 ? null : { quote: some };
  },
  json: ({ objects, text }, random) => {
    const object = pick(
      random,
      objects.filter((one) => JSON.stringify(one, null, 2).length <= MAX),
    );
    if (object === undefined) return null;
    return { quote: text.includes("\n") ? JSON.stringify(object) : JSON.stringify(object, null, 2) };
  },
  "key = value": (text, random) => {
    const [key, value] = memberOf(text, random) ?? [];
    return key === undefined ? null : { quote: `${key}${pick(random, [" = ", "=", ": "])}${value}` };
  },
  typographic: (text, random) => {
    const line = lineOf(text, random, (one) => /["']| - /u.test(one));
    return made(
      TYPOGRAPHIC.reduce<string | undefined>((changed, [from, to]) => changed?.replace(from, to), line),
    );
  },
  thousands: (text, random) =>
    withNumber(text, random, /(?<![\w.,/:-])[1-9]\d{3,8}(?![\w.,/:-])/u, (number) =>
      number.replaceAll(/\B(?=(?:\d{3})+$)/gu, ","),
    ),
  rounded: (text, random) => withNumber(text, random, /(?<![\w.:-])\d{1,6}\.\d{2,9}(?![\w.:+-])/u, rounded),
  "ellipsis in a line": (text, random) => {
    const words = lineOf(text, random)?.trim().split(/\s+/u) ?? [];
    const from = 2 + Math.floor(random() * (words.length - 5));
    const to = from + 1 + Math.floor(random() * (words.length - from - 2));
    const isUnfit = words.slice(from, to).some((word) => negates(word) || /[{}]/u.test(word));
    if (words.length < 8 || isUnfit) return null;
    return {
      quote: [...words.slice(0, from), pick(random, ["…", "...", "[...]"]), ...words.slice(to)].join(" "),
    };
  },
  "ellipsis across lines": ({ lines }, random) => {
    const from = Math.floor(random() * (lines.length - 2));
    const to = from + 2 + Math.floor(random() * Math.min(30, lines.length - from - 2));
    const quote = `${lines[from]?.trim()} … ${lines[to]?.trim()}`;
    return lines[to] === undefined || quote.length > MAX || plain(quote).length < 24 ? null : { quote };
  },
  cells: (text, random) => {
    const cells = cellsOf(lineOf(text, random, isRow) ?? "");
    const kept = cells.filter((cell, at) => at === 0 || (random() < 0.5 && !negates(cell)));
    return kept.length < 2 || plain(kept.join(" ")).length < 12 || cells.some(negates)
      ? null
      : { quote: kept.join(" ") };
  },
  headings: ({ lines }, random) => {
    const [head = "", ...rows] = lines.filter(isRow);
    const row = cellsOf(pick(random, rows) ?? "");
    const headings = cellsOf(head);
    if (!/^[A-Z]/u.test(head) || head !== head.toUpperCase() || headings.length !== row.length) return null;
    const at = 1 + Math.floor(random() * (row.length - 1));
    return { quote: `${row[0]} ${headings[at]}${pick(random, [" ", ": ", "="])}${row[at]}` };
  },
  members: ({ objects }, random) => {
    const members = Object.entries(pick(random, objects) ?? {}).filter(() => random() < 0.6);
    const some = Object.fromEntries(members.toReversed());
    const quote = JSON.stringify(some, null, random() < 0.5 ? 1 : 0);
    return members.length === 0 || quote.length > MAX || plain(quote).replaceAll(" ", "").length < 12
      ? null
      : { quote };
  },
  numbered: ({ text }, random) => {
    const lines = text.split("\n");
    const from = Math.floor(random() * lines.length);
    const form = pick(random, ["12: ", "L12: ", "12 | ", "12:"]) ?? "";
    const some = lines.slice(from, from + 1 + Math.floor(random() * 2));
    const quote = some.map((line, at) => `${form.replace("12", String(from + 1 + at))}${line}`).join("\n");
    return quote.length > MAX || plain(some.join(" ")).length < 16 ? null : { quote };
  },
  masked: (text, random) => {
    const line = lineOf(text, random, (one) => one.includes("[MASKED_"));
    return made(random() < 0.5 ? line : line?.replaceAll(/:[0-9a-f]{6}\]/gu, "]"));
  },
  case: (text, random) => {
    const line = lineOf(text, random, (one) => /^\s*[A-Za-z]/u.test(one));
    return made(
      line
        ?.trimStart()
        .replace(/^[A-Za-z]/u, (letter) =>
          letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
        ),
    );
  },
  markdown: (text, random) => {
    const part = partOf(lineOf(text, random) ?? "", random);
    return made(part === null ? null : pick(random, [`\`${part}\``, `**${part}**`, `"${part}".`]));
  },
  unescaped: (text, random) => {
    const line = lineOf(text, random, (one) => one.includes('\\"') || one.includes("\\n"));
    return made(line?.replaceAll('\\"', '"').replaceAll("\\n", "\n"));
  },
  "stated lines": (text, random) => {
    const line = lineOf(text, random);
    const at = text.text.split("\n").indexOf(line ?? "") + 1;
    return line === undefined
      ? null
      : { quote: line, lines: random() < 0.5 ? String(at) : `${at + 3}-${at + 5}` };
  },
};

function made(quote: string | null | undefined): { quote: string } | null {
  return quote === null || quote === undefined || plain(quote).length < 12 ? null : { quote };
}
