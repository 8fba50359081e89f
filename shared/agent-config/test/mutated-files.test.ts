import { basename } from "node:path";
import { expect } from "chai";
import { parse, stringify } from "yaml";
import { NIGHTLY } from "../../../test/support/nightly.ts";
import { seededRandom } from "../../../test/support/seeded-random.ts";
import { AgentConfigError } from "#shared/agent-config/config-problem.ts";
import { knownAlertTypes } from "#shared/agent-config/find-chain.ts";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { showConfig } from "#shared/agent-config/show-config.ts";
import { loadText } from "./config-fixture.ts";
import { MODERN_PROVIDERS, MODERN_SKILLS, MODERN_TARSY } from "./modern-files.ts";

const RUNS = NIGHTLY ? 20_000 : 100;
const ENV = { GOOGLE_API_KEY: "x", ANTHROPIC_API_KEY: "x" };
const FILES = ["tarsy.yaml", "llm-providers.yaml"];

/** Values of every kind, among them some with a meaning in JavaScript or YAML. */
const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  Infinity,
  "",
  "x",
  "{{.X}}",
  "{{.SESSION_ID}}",
  "1h30m",
  "constructor",
  [],
  [null],
  ["x", "x"],
  [[1]],
  {},
  { enabled: true },
  { name: "x" },
  { __proto__: null, constructor: 1, toString: "x" },
];

/** A place in a file: a mapping or list, and a key of it. */
interface Place {
  readonly container: object;
  readonly key: string | number;
}

function placesOf(value: unknown): Place[] {
  if (typeof value !== "object" || value === null) return [];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, inner]) => [{ container: value, key }, ...placesOf(inner)]);
}

/** Drops, renames, retypes, repeats or moves one part of a file's content. */
function mutate(content: unknown, random: () => number): void {
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];
  const places = placesOf(content);
  const [place, other] = [pick(places), pick(places)];
  if (place === undefined || other === undefined) return;
  const { container, key } = place;
  const value: unknown = Reflect.get(container, key);
  const changes = [
    () => Reflect.deleteProperty(container, key),
    () => Reflect.set(container, String(key).slice(0, -1), value) && Reflect.deleteProperty(container, key),
    () => Reflect.set(container, key, pick(VALUES)),
    () => Reflect.set(container, key, pick(VALUES)),
    () => Reflect.set(container, key, [value]),
    () => Reflect.set(container, key, structuredClone(Reflect.get(other.container, other.key))),
    () => Reflect.set(container, `${String(key)}s`, value),
  ];
  pick(changes)?.();
}

/** Cuts, repeats or inserts something at a random place of a text. */
function damage(text: string, random: () => number): string {
  const at = Math.floor(random() * text.length);
  const inserted = [
    "\n",
    " ",
    "  ",
    ":",
    "- ",
    "{",
    "}",
    "[",
    "]",
    "*a",
    "&a ",
    "<<: ",
    "#",
    "\t",
    '"',
    "'",
    "{{",
    "}}",
    "\u0000",
    "|",
  ];
  const piece = inserted[Math.floor(random() * inserted.length)] ?? "";
  const length = random() < 0.5 ? 0 : Math.floor(random() * 20);
  return text.slice(0, at) + piece + text.slice(at + length);
}

describe("loadAgentConfig of changed valid files", () => {
  const load = async (seed: number) => {
    const random = seededRandom(seed);
    const texts = [MODERN_TARSY, MODERN_PROVIDERS].map((text, index) => {
      if (index === 1 && random() < 0.7) return text;
      if (random() < 0.3) return damage(text, random);
      const content: unknown = parse(text);
      for (let changes = 1 + Math.floor(random() * 3); changes > 0; changes -= 1) mutate(content, random);
      return stringify(content);
    });
    const [tarsy = "", providers] = texts;
    return loadText(tarsy, providers, ENV, MODERN_SKILLS);
  };

  it("returns a configuration that can be used, or names every mistake with file and line, and nothing else", async function () {
    this.timeout(NIGHTLY ? 3_600_000 : 180_000);
    let refused = 0;
    for (let seed = 1; seed <= RUNS; seed += 1) {
      try {
        const config = await load(seed);
        for (const alertType of knownAlertTypes(config)) resolveChain(config, alertType, true);
        expect(showConfig(config), `seed ${seed}`).to.include("resolved:");
      } catch (error) {
        if (!(error instanceof AgentConfigError)) throw new Error(`seed ${seed}`, { cause: error });
        refused += 1;
        expect(error.problems, `seed ${seed}`).not.to.deep.equal([]);
        for (const problem of [...error.problems, ...error.warnings]) {
          expect(FILES, `seed ${seed}`).to.include(basename(problem.file));
          expect(problem.line, `seed ${seed}`).to.be.greaterThan(0);
          expect(problem.column, `seed ${seed}`).to.be.greaterThan(0);
          expect(problem.message, `seed ${seed}`).not.to.equal("");
        }
      }
    }
    expect(refused).to.be.within(RUNS / 5, RUNS * 0.95);
  });
});
