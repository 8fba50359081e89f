import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { newestTime } from "./newest-time.ts";
import { MISS, headOf, storable, type Clone, type ImportedCase, type Source } from "./source.ts";

const CASES = "examples/eval";
const Texts = Type.Optional(Type.Array(Type.String()));
const parseCase = compileParser(
  "case",
  Type.Object({
    prompt: Type.String(),
    tools: Type.Record(Type.String(), Type.String()),
    expected: Type.Object({ must_contain: Texts, root_cause_entities: Texts, distractors: Texts }),
    ground_truth: Type.Optional(Type.Object({ root_cause: Type.Optional(Type.String()) })),
  }),
);

/** RunLore's replay cases: one text for each tool. */
export const runLore: Source = {
  name: "runlore",
  title: "RunLore replay cases",
  repository: "https://github.com/Smana/runlore",
  importer: "runlore/1",
  licence: "Apache-2.0",
  notice: "Licence: Apache-2.0 (https://www.apache.org/licenses/LICENSE-2.0). Copyright of its authors.",
  open: async (clone) => {
    const directory = join(clone.directory, CASES);
    if (!existsSync(directory)) throw new Error(`there is no ${directory}: give a clone of RunLore`);
    const files = (await readdir(directory)).filter((file) => file.endsWith(".yaml")).toSorted();
    return {
      names: files.map((file) => file.slice(0, -".yaml".length)),
      left: {},
      read: (name) => readCase(clone, name),
    };
  },
};

async function readCase(clone: Clone, name: string): Promise<ImportedCase> {
  const path = `${CASES}/${name}.yaml`;
  const given = parseCase(parse(await clone.read(join(clone.directory, path))));
  const tools = Object.entries(given.tools).map(([tool, text]) => [tool, storable(text).text] as const);
  const now = newestTime(
    tools.map(([, text]) => text),
    clone.date,
  );
  const { must_contain: words = [], root_cause_entities: entities = [], distractors = [] } = given.expected;
  const reference = given.ground_truth?.root_cause;
  return {
    world: {
      ...headOf(runLore, clone, { name, path, changes: [] }),
      clock: now === undefined ? { now: clone.date, from: "source" } : { now, from: "newest" },
      alert: { type: "alert", data: given.prompt },
      // The same incident with and without playbooks, which are no part of it here.
      ...(name.startsWith("node-eviction-") ? { group: "runlore/node-eviction" } : {}),
      servers: [
        {
          id: "cluster",
          tools: tools.map(([tool]) => ({
            name: tool,
            description: tool.replaceAll("_", " "),
            schema: { type: "object", properties: {} },
            schema_from: "importer",
            read_only: true,
          })),
        },
      ],
      answers: tools.map(([tool, text]) => ({ tool: `cluster.${tool}`, args: {}, match: "any", text })),
      miss: MISS,
    },
    truth: {
      causes: [],
      must_name: [...new Set([...words, ...entities])],
      must_not: distractors,
      ...(reference === undefined ? {} : { reference }),
    },
    counts: {},
  };
}
