import {
  cellsOf,
  isRow,
  lineOf,
  negates,
  pick,
  plain,
  stands,
  type MakeQuote,
  type Made,
} from "./quote-kinds.ts";
import type { RealText } from "./real-texts.ts";

const STATES: Readonly<Record<string, string>> = {
  Running: "Pending",
  true: "false",
  false: "true",
  True: "False",
  False: "True",
  Ready: "Failed",
  Normal: "Warning",
  Warning: "Normal",
  ERROR: "INFO",
  INFO: "ERROR",
  available: "deleted",
  Completed: "Running",
  Succeeded: "Failed",
  Failed: "Succeeded",
  healthy: "degraded",
  Healthy: "Degraded",
  Synced: "Unknown",
  Active: "Terminating",
};
const UNITS: readonly (readonly [RegExp, string])[] = [
  [/(\d)Mi\b/u, "$1Gi"],
  [/(\d)Gi\b/u, "$1Mi"],
  [/(\d)m\b/u, "$1M"],
  [/(\d)ms\b/u, "$1s"],
  [/(\d)s\b/u, "$1m"],
  [/(\d)%/u, "$1"],
  [/(\d)d\b/u, "$1h"],
  [/(\d)h\b/u, "$1d"],
  [/(\d)Ki\b/u, "$1Mi"],
];
const INVENTED =
  "The pod was evicted because the node had no memory left; disk pressure on worker-3; connection to redis timed out after 30s; certificate expired on 2026-01-02; exit code 137 in container web; replica set scaled to 0".split(
    "; ",
  );
const WINDOW =
  "All of it is kept: read on with tarsy.result_read; The result has 400 kB and is shown in part; lines 1 to 80 of 8000 are shown; End of untrusted content from the tool".split(
    "; ",
  );

/** The quote, unless it is true by chance. */
function falsely({ text }: RealText, quote: string | undefined): Made | null {
  const isUnfit = quote === undefined || quote.length > 600 || plain(quote).length < 12;
  return isUnfit || stands(quote, text) ? null : { quote };
}

/** A line in which `pattern` is replaced. */
function replaced(pattern: RegExp, by: (found: string) => string): MakeQuote {
  return (text, random) => {
    const line = lineOf(text, random, (one) => pattern.test(one));
    return falsely(text, line?.replace(pattern, by));
  };
}

const nextDigit = (digit: string) => String((Number(digit) + 1) % 10);

/** Quotes that nothing in their source supports. Those with `isExact` are never to be verified. */
export const FALSE_QUOTES: Readonly<Record<string, { readonly isExact: boolean; readonly make: MakeQuote }>> =
  {
    digit: { isExact: true, make: replaced(/\d/u, nextDigit) },
    "last digit": { isExact: true, make: replaced(/\d(?!.*\d)/u, nextDigit) },
    name: {
      isExact: true,
      make: (text, random, others) => {
        const name = /[a-z]+-[a-z0-9-]{3,}|[a-z]+_[a-z_]{3,}/u;
        const line = lineOf(text, random, (one) => name.test(one));
        const [other] =
          name.exec(lineOf(pick(random, others) ?? text, random, (one) => name.test(one)) ?? "") ?? [];
        return falsely(text, other === undefined ? undefined : line?.replace(name, other));
      },
    },
    state: {
      isExact: true,
      make: replaced(
        new RegExp(`\\b(?:${Object.keys(STATES).join("|")})\\b`, "u"),
        (state) => STATES[state] ?? "",
      ),
    },
    unit: {
      isExact: true,
      make: (text, random) => {
        const [unit, other] = pick(random, UNITS) ?? [/x/u, ""];
        return falsely(text, lineOf(text, random, (one) => unit.test(one))?.replace(unit, other));
      },
    },
    "negation left out": {
      isExact: true,
      make: replaced(/\b(?:no|not|never|without|cannot|unable to) /iu, () => ""),
    },
    "negation cut off": {
      isExact: true,
      make: (text, random) => {
        const line = lineOf(text, random, (one) => /\b(?:no|not|cannot) \w/iu.test(one));
        const quote = line?.replace(/^.*?\b(?:no|not|cannot) /iu, "");
        return quote === undefined ||
          plain(quote).length < 12 ||
          plain(text.text).split(plain(quote)).length > 2
          ? null
          : { quote };
      },
    },
    "cut word": {
      isExact: true,
      make: (text, random) => {
        const words = lineOf(text, random)?.trim().split(/\s+/u).slice(0, 40) ?? [];
        const at = words.findIndex((word) => /^\w{4,}/u.test(word));
        const quote = random() < 0.5 ? words.slice(at).join(" ").slice(2) : words.slice(at, at + 6).join(" ");
        const [last = ""] = /\w{4,}$/u.exec(quote) ?? [];
        return at === -1 || (quote === words.slice(at, at + 6).join(" ") && last === "")
          ? null
          : falsely(text, quote.startsWith(words[at] ?? "") ? quote.slice(0, -2) : quote);
      },
    },
    "another line behind …": {
      isExact: true,
      make: (text, random) => {
        const [line = "", other = ""] = [lineOf(text, random), lineOf(text, random)];
        const begin = line.trim().split(/\s+/u).slice(0, -2).slice(0, 5).join(" ");
        const end = other.trim().split(/\s+/u).slice(-2).join(" ");
        if (line === other || plain(begin).length < 6 || plain(end).length < 3 || begin === "") return null;
        // The words may stand in one line elsewhere.
        const both = text.lines.some(
          (one, at) => stands(begin, one) && stands(end, `${one} ${text.lines[at + 1] ?? ""}`),
        );
        const starts = text.lines.some(
          (one) => plain(one).startsWith(plain(end)) || plain(one).endsWith(plain(begin)),
        );
        return both || starts ? null : falsely(text, `${begin} … ${end}`);
      },
    },
    "invented behind …": {
      isExact: true,
      make: (text, random) => {
        const begin = lineOf(text, random)?.trim().split(/\s+/u).slice(0, 4).join(" ");
        return falsely(text, `${begin} … ${pick(random, INVENTED)}`);
      },
    },
    invented: { isExact: true, make: (text, random) => falsely(text, pick(random, INVENTED)) },
    "whole number rounded": {
      isExact: true,
      make: replaced(/(?<![\w.,:/-])\d{2,9}[1-9](?![\w.,:/-])/u, (number) => `${number.slice(0, -1)}0`),
    },
    "decimal rounded wrongly": {
      isExact: true,
      make: replaced(/(?<![\w.:/-])\d{1,6}\.\d{3,9}(?![\w.:+-])/u, (number) =>
        (Number(number) * 1.03 + 0.02).toFixed(2),
      ),
    },
    "sign left out": { isExact: true, make: replaced(/(?<=\s)-(?=\d)/u, () => "") },
    "JSON of another object": {
      isExact: true,
      make: (text, random) => {
        const [one, other] = [pick(random, text.objects), pick(random, text.objects)];
        const shared = Object.keys(one ?? {}).filter(
          (key) => other !== undefined && Object.hasOwn(other, key),
        );
        const differs = shared.find((key) => JSON.stringify(one?.[key]) !== JSON.stringify(other?.[key]));
        const kept = Object.keys(one ?? {}).find((key) => key !== differs && typeof one?.[key] === "string");
        if (differs === undefined || kept === undefined) return null;
        const quoted = { [kept]: one?.[kept], [differs]: other?.[differs] };
        // A third object may have both.
        const isTrue = text.objects.some((object) =>
          Object.entries(quoted).every(
            ([key, value]) => JSON.stringify(object[key]) === JSON.stringify(value),
          ),
        );
        return isTrue ? null : falsely(text, JSON.stringify(quoted));
      },
    },
    "members of two objects": {
      isExact: true,
      make: (text, random) => {
        const at = Math.floor(random() * (text.objects.length - 1));
        const [[key, value] = [], [otherKey, other] = []] = [
          Object.entries(text.objects[at] ?? {}).at(-1),
          Object.entries(text.objects[at + 1] ?? {})[0],
        ];
        if (key === undefined || otherKey === undefined || key === otherKey) return null;
        const quoted = { [key]: value, [otherKey]: other };
        // They may be of one object elsewhere.
        const isTrue = text.objects.some((object) =>
          Object.keys(quoted).every((name) => Object.hasOwn(object, name)),
        );
        return isTrue || typeof value === "object"
          ? null
          : falsely({ ...text, text: "" }, JSON.stringify(quoted));
      },
    },
    "masked replaced": {
      isExact: true,
      make: replaced(/\[MASKED_\w+:[0-9a-f]{6}\]/u, () => "hunter2-secret"),
    },
    "masked as another kind": {
      isExact: true,
      make: replaced(/\[MASKED_\w+:[0-9a-f]{6}\]/u, () => "[MASKED_CARD]"),
    },
    "words of a window": { isExact: true, make: (text, random) => falsely(text, pick(random, WINDOW)) },
    short: {
      isExact: true,
      make: (text, random) => {
        const word = pick(
          random,
          text.text.split(/\s+/u).filter((one) => /^\w{1,6}$/u.test(one)),
        );
        return word === undefined ? null : { quote: word };
      },
    },
    "of another call": {
      isExact: false,
      make: (text, random, others) => {
        const other = pick(random, others);
        return other === undefined || other === text ? null : falsely(text, lineOf(other, random));
      },
    },
    "a word left out": {
      isExact: false,
      make: (text, random) => {
        const line = lineOf(text, random) ?? "";
        const words = line.trim().split(/\s+/u);
        const at = 1 + Math.floor(random() * (words.length - 2));
        // A whole cell may be left out.
        const isCell = cellsOf(line).length > 2 && cellsOf(line).includes(words[at] ?? "");
        return words.length < 4 || isCell ? null : falsely(text, words.toSpliced(at, 1).join(" "));
      },
    },
    "a cell of another row": {
      isExact: false,
      make: (text, random) => {
        const [row, other] = [
          cellsOf(lineOf(text, random, isRow) ?? ""),
          cellsOf(lineOf(text, random, isRow) ?? ""),
        ];
        const at = row.findIndex(
          (cell, column) => column > 0 && other[column] !== undefined && cell !== other[column],
        );
        const value = other[at];
        // Another row may have both.
        const isTrue = text.lines
          .map(cellsOf)
          .some(([first, ...cells]) => first === row[0] && cells.includes(value ?? ""));
        return value === undefined || isTrue || negates(value) ? null : falsely(text, `${row[0]} ${value}`);
      },
    },
    "cells in another order": {
      isExact: false,
      make: (text, random) => {
        const cells = cellsOf(lineOf(text, random, isRow) ?? "");
        return cells.length < 4 ? null : falsely(text, [cells[0], cells[3], cells[1]].join(" "));
      },
    },
  };
