import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { parseJson } from "#shared/parse-json.ts";
import { seededRandom } from "../../../../test/support/seeded-random.ts";

const WORLDS = join(import.meta.dirname, "../../../../lab/worlds/examples");
const MIN_CHARS = 80;

const parseWorld = compileParser(
  "world",
  Type.Object({ answers: Type.Array(Type.Object({ text: Type.String() })) }),
);

/** A result of a real tool. */
export interface RealText {
  readonly id: string;
  readonly text: string;
  /** Lines with words. */
  readonly lines: readonly string[];
  /** Objects in its JSON with at least two members; empty if it is no JSON. */
  readonly objects: readonly Readonly<Record<string, unknown>>[];
}

/** Numbers and lists in one line, of which the worlds have few. */
function metrics(random: () => number): string[] {
  const number = (most: number, places: number) => (random() * most).toFixed(places);
  const pods = Array.from(
    { length: 40 },
    (_, at) => `${["cart", "shop", "ledger"][at % 3] ?? ""}-${number(1, 6).slice(2)}`,
  );
  const values = pods.map((pod) => ({
    metric: { pod, container: "main" },
    value: [1_711_533_600.781, number(2, 5)],
    share: Number(number(1, 4)),
  }));
  const top = pods.map(
    (pod) =>
      `${pod}   ${number(900, 0)}m   ${number(4_000, 2)}MiB   -${number(50, 3)}%   ${number(90_000, 0)}`,
  );
  const log = pods.map(
    (pod) =>
      `2026-03-27T10:00:${number(59, 3)}Z ${pod} took ${number(9_000, 3)}ms, cannot keep up: no worker of ${number(80, 0)} is free`,
  );
  return [
    JSON.stringify(values),
    ["POD   CPU   MEMORY   CHANGE   REQUESTS", ...top].join("\n"),
    log.join("\n"),
  ];
}

/** The answers of the worlds in the repository, without repeated ones, and some metrics; every ninth has masked words. */
export function realTexts(): RealText[] {
  const files = globSync("*.world.json", { cwd: WORLDS }).toSorted();
  const texts = files.flatMap((file) => {
    const { answers } = parseWorld(parseJson(readFileSync(join(WORLDS, file), "utf8")));
    return answers.map(({ text }) => text);
  });
  const random = seededRandom(9);
  const long = [...new Set(texts), ...metrics(random)].filter(({ length }) => length >= MIN_CHARS);
  return long.map((text, at) => realText(`r${at + 1}`, at % 9 === 4 ? masked(text, random) : text));
}

function realText(id: string, text: string): RealText {
  const lines = text.split("\n").filter((line) => /\w/u.test(line));
  return { id, text, lines, objects: objectsIn(text) };
}

function masked(text: string, random: () => number): string {
  return text.replaceAll(/(?<![\w-])[a-z][\w-]{7,}(?![\w-])/gu, (word) => {
    if (random() > 0.15) return word;
    const digits = Math.floor(random() * 0x1_00_00_00)
      .toString(16)
      .padStart(6, "0");
    return `[MASKED_${random() < 0.5 ? "TOKEN" : "PASSWORD"}:${digits}]`;
  });
}

function objectsIn(text: string): Readonly<Record<string, unknown>>[] {
  const found: Record<string, unknown>[] = [];
  const visit = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    if (!Array.isArray(value) && Object.keys(value).length > 1) found.push({ ...value });
    Object.values(value).forEach(visit);
  };
  try {
    visit(JSON.parse(text));
  } catch {
    // It is no JSON.
  }
  return found;
}
