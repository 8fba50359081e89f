import { expect } from "chai";
import { BROKEN_CHAINS } from "./broken-chains.ts";
import { BROKEN_COSTS } from "./broken-costs.ts";
import { BROKEN_HOLIDAYS } from "./broken-holidays.ts";
import { BROKEN_BUDGETS } from "./broken-budgets.ts";
import type { BrokenFile } from "./broken-file.ts";
import { BROKEN_EMBEDDINGS } from "./broken-embeddings.ts";
import { BROKEN_NOTIFICATIONS } from "./broken-notifications.ts";
import { BROKEN_PACKS } from "./broken-packs.ts";
import { BROKEN_SETTINGS } from "./broken-settings.ts";
import { BROKEN_SOURCES } from "./broken-sources.ts";
import { BROKEN_TEXTS } from "./broken-texts.ts";
import { DEFAULTS, SCRIPTED, failureOf, loadText } from "./config-fixture.ts";
import { VERY_BROKEN_FILES } from "./very-broken-files.ts";

const ENV = {
  COUNT: "77",
  QUOTE_TOKEN: 'hush"hush',
  LONG: "a-much-longer-text-than-the-template-it-came-from",
  LINES: "'one\n      two\n      three'",
};

/** The line and column of every mark, and the text without the marks. */
function readMarks(marked: string): { text: string; places: string[] } {
  const places: string[] = [];
  const lines = marked.split("\n").map((line, index) => {
    let rest = line;
    for (let at = rest.indexOf("§"); at !== -1; at = rest.indexOf("§")) {
      places.push(`${index + 1}:${at + 1}`);
      rest = rest.slice(0, at) + rest.slice(at + 1);
    }
    return rest;
  });
  return { text: lines.join("\n"), places };
}

async function expectExactly(file: BrokenFile): Promise<void> {
  const { tarsy = "", providers = SCRIPTED, errors } = file;
  const isWhole = tarsy.startsWith("§") || tarsy.includes("defaults:");
  const tarsyMarks = readMarks(isWhole ? tarsy : tarsy + DEFAULTS);
  const providerMarks = readMarks(providers);
  const error = await failureOf(loadText(tarsyMarks.text, providerMarks.text, ENV));
  const found = error.problems.map(({ line, column, path }) => `${line}:${column} ${path}`);
  const places = [...providerMarks.places, ...tarsyMarks.places];
  const expected = errors.map(([path], index) => `${places[index]} ${path}`);
  expect(found, error.message).to.deep.equal(expected);
  expect(places).to.have.length(errors.length);
  error.problems.forEach(({ message }, index) => expect(message).to.include(errors[index]?.[1]));
  for (const { message } of error.problems) expect(error.message).to.include(message);
}

describe("loadAgentConfig of a broken file", () => {
  for (const file of [
    ...BROKEN_SETTINGS,
    ...BROKEN_PACKS,
    ...BROKEN_SOURCES,
    ...BROKEN_NOTIFICATIONS,
    ...BROKEN_EMBEDDINGS,
    ...BROKEN_COSTS,
    ...BROKEN_HOLIDAYS,
    ...BROKEN_BUDGETS,
    ...BROKEN_CHAINS,
    ...BROKEN_TEXTS,
  ]) {
    it(`finds the one mistake at its position: ${file.name}`, () => expectExactly(file));
  }
});

describe("loadAgentConfig of a file with several mistakes", () => {
  for (const file of VERY_BROKEN_FILES) {
    it(`finds all of them and nothing else: ${file.name}`, () => expectExactly(file));
  }

  it("reports the mistakes of both files in one error", async () => {
    const error = await failureOf(loadText("queue: {worker_count: -1}\n", "llm_providers: [\n"));
    expect(error.problems.map(({ file }) => file.split("/").at(-1))).to.deep.equal([
      "llm-providers.yaml",
      "tarsy.yaml",
      "tarsy.yaml",
    ]);
  });
});
