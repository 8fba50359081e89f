import { globSync } from "node:fs";
import { join } from "node:path";
import type { Conclusion } from "#shared/contracts/conclusion.ts";
import { SUMMARY_CALL } from "../../../test/support/scripts.ts";
import type { Truth, World } from "#shared/worlds/world-format.ts";
import { readTruth, readWorld } from "../../worlds/world-files.ts";

/** Where the worlds are that come with TARSy. */
export const EXAMPLES = join(import.meta.dirname, "../../worlds/examples");

interface ExampleWorld {
  readonly name: string;
  readonly world: World;
  readonly truth: Truth;
}

/** The worlds that come with TARSy, with their truths, in the order of their names. */
export async function exampleWorlds(): Promise<readonly ExampleWorld[]> {
  const names = globSync("*.world.json", { cwd: EXAMPLES }).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const file = join(EXAMPLES, name);
      const found = await readWorld(file);
      return {
        name: name.replace(".world.json", ""),
        world: found.world,
        truth: await readTruth(file, found),
      };
    }),
  );
}

/** The calls of a model that asks each world one thing, quotes the answer, and concludes with what is right, or confidently with what is not. */
export function modelOf(worlds: readonly ExampleWorld[], knows: "the truth" | "nothing"): readonly object[] {
  return [
    SUMMARY_CALL,
    ...worlds.flatMap((one) => {
      const contains = lineOf(one, worlds);
      const asked = one.world.answers.find(
        ({ text, is_error }) => is_error !== true && quotedFrom(text) !== undefined,
      );
      if (asked === undefined) throw new Error(`${one.name} has no answer that can be quoted`);
      const concluded = conclusionOf(one, quotedFrom(asked.text) ?? "", knows);
      return [
        { when: { contains, call: 1 }, steps: [{ tool_call: { name: asked.tool, arguments: asked.args } }] },
        {
          when: { contains, call: 2 },
          steps: [{ tool_call: { name: "tarsy.conclude", arguments: concluded } }],
        },
        { when: { contains }, steps: [{ text: one.truth.reference ?? "As concluded." }] },
      ];
    }),
  ];
}

/** A line of the alert that no other world's has. */
function lineOf({ world }: ExampleWorld, worlds: readonly ExampleWorld[]): string {
  const line = world.alert.data
    .split("\n")
    .find((text) => worlds.filter((other) => other.world.alert.data.includes(text)).length === 1);
  if (line === undefined) throw new Error(`${world.id} has the alert of another world`);
  return line;
}

/** A name and its value without digits, which are never masked, of a text or of JSON; undefined if there is none that is long enough. */
function quotedFrom(text: string): string | undefined {
  return /(?<=[\s"{]|^)[a-zA-Z]\w{3,}"?: *"?[a-zA-Z.-]{8,}(?=[\s",}]|$)/u.exec(text)?.[0];
}

function conclusionOf({ truth }: ExampleWorld, quote: string, knows: "the truth" | "nothing"): Conclusion {
  const [right] = truth.causes;
  if (right === undefined) throw new Error(`${truth.world} has no cause`);
  const isHealthy = right.category === "healthy";
  const cause: Omit<Conclusion["causes"][number], "statement"> =
    knows === "the truth"
      ? { entity: right.object, kind: isHealthy ? "none" : "unknown", code: right.category }
      : { entity: "node/of-nobody", kind: "infrastructure", code: "infrastructure" };
  return {
    status: "confirmed",
    summary: "It is known.",
    confidence: 90,
    causes: [{ ...cause, statement: "It is known." }],
    claims: [{ id: "c1", cause: 1, text: "It says so.", source: "r1", lines: "", quote }],
    ruled_out: [],
    gaps: [],
    next_checks: [],
  };
}
