import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { parseInstant } from "#shared/contracts/parse-instant.ts";
import { compactJson } from "#shared/worlds/world-hash.ts";
import type { World, WorldAnswer } from "#shared/worlds/world-format.ts";
import { InferredSchemas } from "../infer-schemas.ts";
import { newestTime } from "../newest-time.ts";
import { MISS, headOf, type Clone, type ImportedCase, type Source } from "../source.ts";
import { readRecordings, type Recording } from "./recording.ts";
import { CAUSES, DESCRIPTIONS, GROUPS } from "./additions.ts";

const FIXTURES = "tests/llm/fixtures";
const SUITES = ["test_ask_holmes", "test_investigate", "test_workload_health"];
/** With so few answers a miss says nothing about the agent. */
const THIN = 3;

/** Numbers and booleans are what YAML makes of a text without quotation marks. */
const Word = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const OneOrMore = Type.Union([Word, Type.Array(Word)]);
const TestCase = Type.Object({
  user_prompt: Type.Optional(OneOrMore),
  expected_output: Type.Optional(OneOrMore),
  mocked_date: Type.Optional(Type.String()),
  include_files: Type.Optional(Type.Array(Type.String())),
});
type TestCase = Static<typeof TestCase>;
const parseTestCase = compileParser("test_case.yaml", TestCase);

const CHANGES = [
  'results of status no_data without text read "(no data)"',
  'arguments that are null or "*" are left out: they match anything',
];
const PAGES_LEFT_OUT = "answers of fetch_webpage removed: they hold pages of other owners";

/** HolmesGPT's fixtures: recorded tool results and statements about the answer. */
export const holmes: Source = {
  name: "holmesgpt",
  title: "HolmesGPT fixtures",
  repository: "https://github.com/robusta-dev/holmesgpt",
  importer: "holmes/1",
  licence: "Apache-2.0",
  notice:
    "Licence: Apache-2.0 (https://www.apache.org/licenses/LICENSE-2.0). Copyright of its authors (Robusta and contributors).",
  open: async (clone) => {
    const directory = join(clone.directory, FIXTURES);
    if (!existsSync(directory)) throw new Error(`there is no ${directory}: give a clone of HolmesGPT`);
    const names: string[] = [];
    const left: Record<string, string> = {};
    const schemas = new InferredSchemas();
    for (const name of await findCases(directory)) {
      // What is wrong with it is said when it is imported, and stops no other case.
      const found = await readRecordings(clone, join(directory, name)).catch(() => undefined);
      for (const { server, tool, params } of found?.recordings ?? []) {
        schemas.add(`${server}.${tool}`, params);
      }
      if (found === undefined || found.recordings.length + found.pages > 0) names.push(name);
      else left[name] = "it has no recordings: it needs a cluster";
    }
    return { names, left, read: (name) => readCase(clone, name, schemas) };
  },
};

async function findCases(directory: string): Promise<string[]> {
  const cases: string[] = [];
  for (const suite of SUITES) {
    if (!existsSync(join(directory, suite))) continue;
    for (const name of (await readdir(join(directory, suite))).toSorted()) {
      if (existsSync(join(directory, suite, name, "test_case.yaml"))) cases.push(`${suite}/${name}`);
    }
  }
  return cases;
}

async function readCase(clone: Clone, name: string, schemas: InferredSchemas): Promise<ImportedCase> {
  const path = `${FIXTURES}/${name}`;
  const directory = join(clone.directory, path);
  const test = parseTestCase(parse(await clone.read(join(directory, "test_case.yaml"))));
  const { recordings, pages, repeated } = await readRecordings(clone, directory);
  const must = [test.expected_output ?? []].flat().map(String);
  if (must.length === 0 && CAUSES[name] === undefined) {
    throw new Error("expected_output is missing: nothing would be right");
  }
  const answers = answersOf(recordings);
  const runbook = await runbookOf(clone, directory, test);
  const group = GROUPS.find(({ pattern }) => pattern.test(name))?.group;
  return {
    world: {
      ...headOf(holmes, clone, { name, path, changes: pages > 0 ? [...CHANGES, PAGES_LEFT_OUT] : CHANGES }),
      clock: clockOf(test, recordings, clone),
      alert: await alertOf(clone, directory, test),
      ...(runbook === "" ? {} : { runbook }),
      ...(group === undefined ? {} : { group: `holmesgpt/${group}` }),
      servers: serversOf(recordings, schemas),
      answers,
      miss: MISS,
    },
    truth: {
      causes: CAUSES[name] === undefined ? [] : [{ ...CAUSES[name], added_by: "reading" }],
      must,
      must_not: [],
      recorded_calls: answers.map(({ tool }) => tool),
      must_name: [],
      ...(answers.length <= THIN ? { thin: true } : {}),
    },
    counts: {
      recordings: recordings.length + pages,
      dropped_pages: pages,
      repeated_recordings: repeated,
      errors: recordings.filter(({ isError }) => isError).length,
      changed_texts: recordings.filter(({ isChanged }) => isChanged).length,
    },
  };
}

/** Recordings of one call are a sequence. */
function answersOf(recordings: readonly Recording[]): WorldAnswer[] {
  const counts = new Map<string, number>();
  return recordings.map(({ server, tool, params, args, text, isError }) => {
    const answer: WorldAnswer = {
      tool: `${server}.${tool}`,
      args,
      match: params === undefined ? "any" : "subset",
      text,
      ...(isError ? { is_error: true } : {}),
    };
    const key = compactJson([answer.tool, answer.args, answer.match]);
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    return nth === 1 ? answer : { ...answer, nth };
  });
}

function serversOf(recordings: readonly Recording[], schemas: InferredSchemas): World["servers"] {
  const servers = Map.groupBy(recordings, ({ server }) => server);
  return Array.from(servers, ([id, own]) => ({
    id,
    tools: [...new Set(own.map(({ tool }) => tool))].map((name) => ({
      name,
      description: DESCRIPTIONS[name] ?? name.replaceAll("_", " "),
      ...schemas.of(`${id}.${name}`),
      schema_from: "inferred" as const,
      read_only: true,
    })),
  }));
}

function clockOf(
  { mocked_date: given }: TestCase,
  recordings: readonly Recording[],
  { date }: Clone,
): World["clock"] {
  if (given !== undefined && parseInstant(given) !== undefined) return { now: given, from: "given" };
  const now = newestTime(
    recordings.map(({ text }) => text),
    date,
  );
  return now === undefined ? { now: date, from: "source" } : { now, from: "newest" };
}

/** A question, or the request of an alert or of a workload's health. */
async function alertOf(
  clone: Clone,
  directory: string,
  { user_prompt: prompt }: TestCase,
): Promise<World["alert"]> {
  const question = [prompt ?? []].flat()[0];
  if (question !== undefined) return { type: "question", data: String(question) };
  const files = ["investigate_request.json", "workload_health_request.json"].map((file) =>
    join(directory, file),
  );
  const file = files.find((one) => existsSync(one));
  if (file === undefined) throw new Error("there is neither a user_prompt nor a request");
  const request: unknown = JSON.parse(await clone.read(file));
  return { type: "alert", data: JSON.stringify(request, undefined, 1) };
}

async function runbookOf(
  clone: Clone,
  directory: string,
  { include_files: files = [] }: TestCase,
): Promise<string> {
  const texts: string[] = [];
  for (const file of files) texts.push(await clone.read(join(directory, file)));
  return texts.join("\n\n");
}
