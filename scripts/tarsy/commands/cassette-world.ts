import { existsSync, readFileSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { parse } from "yaml";
import type { Cassette } from "#shared/cassette/cassette.ts";
import { ApiFailure } from "#shared/client/api-failure.ts";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { CAUSE_KINDS } from "#shared/contracts/conclusion.ts";
import { literals } from "#shared/contracts/literals.ts";
import { errorMessage } from "#shared/errors.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { UsageError, type CommandCall } from "../command.ts";
import { apiOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";
import { printable } from "../terminal/terminal-style.ts";

const Filled = Type.String({ minLength: 1 });
const Texts = Type.Optional(Type.Array(Type.String()));
const closed = { additionalProperties: false };

/** What a person says is right about a session. */
const TypedTruth = Type.Object(
  {
    /** Who says so. */
    confirmed_by: Filled,
    causes: Type.Array(
      Type.Object({ object: Filled, cause: Filled, accept: Texts, category: literals(CAUSE_KINDS) }, closed),
      { minItems: 1 },
    ),
    must_name: Texts,
    reference: Type.Optional(Type.String()),
  },
  closed,
);
type TypedTruth = Static<typeof TypedTruth>;
const parseTruth = compileParser("truth", TypedTruth);

type Conclusion = ApiResponse<"GET /api/v1/sessions/:id/conclusion">;

/** `tarsy cassette SESSION --as-world`; `read` gets the session's cassette. */
export async function writeSessionWorld(
  call: CommandCall,
  id: string,
  read: () => Promise<Cassette>,
): Promise<number> {
  const { terminal, option, env, signal } = call;
  const userDir = env["INIT_CWD"] ?? process.cwd();
  const directory = resolve(userDir, option("out") ?? ".");
  const given = option("truth");
  const typed = given === undefined ? undefined : readTyped(resolve(userDir, given));
  const session = await apiOf(call).call("GET /api/v1/sessions/:id", { params: { id }, signal });
  if (session.completed_at === null) throw new Error(`session ${id} has not ended: it is ${session.status}`);
  if (session.quality_rating !== "accurate") {
    throw new Error(
      `session ${id} is ${session.quality_rating === null ? "not rated" : `rated ${session.quality_rating}`}: a person must have rated it accurate before it can be a world`,
    );
  }
  // What is wrong with the cassette is said before a person types a truth.
  const { mergedWorld, sessionWorld } = await import("../../../lab/worlds/import/session-world.ts");
  const { readWorld } = await import("../../../lab/worlds/world-files.ts");
  const own = sessionWorld(await read());
  const merge = option("merge");
  const world =
    merge === undefined ? own : mergedWorld(own, (await readWorld(resolve(userDir, merge))).world);
  await mkdir(directory, { recursive: true });
  if (typed === undefined) {
    const file = join(directory, `${id}.truth-draft.json`);
    if (existsSync(file)) throw new UsageError(`there is ${file} already: pass it with --truth`);
    await writeFile(`${file}.part`, `${JSON.stringify(await draft(call, id), undefined, 1)}\n`);
    await rename(`${file}.part`, file);
    terminal.write(`${printable(relative(userDir, file))}\n`);
    terminal.warn(
      `no world is written yet: correct the causes, write your name into confirmed_by, and pass the file with --truth; category is one of ${CAUSE_KINDS.join(", ")}\n`,
    );
    return EXIT.done;
  }
  const { writeCase } = await import("../../../lab/worlds/import/import-worlds.ts");
  const { confirmed_by: added_by, causes, ...rest } = typed;
  const truth = { ...rest, causes: causes.map((cause) => ({ ...cause, added_by })), thin: true };
  const path = join(directory, id);
  await writeCase({ world, truth, counts: {} }, path, true);
  terminal.write(`${printable(relative(userDir, `${path}.world.json`))}\n`);
  return EXIT.done;
}

/** JSON, or YAML, which has it as a part. Throws UsageError that names the member. */
function readTyped(file: string): TypedTruth {
  try {
    return parseTruth(parse(readFileSync(file, "utf8")));
  } catch (error) {
    throw new UsageError(`${file}: ${errorMessage(error)}`, { cause: error });
  }
}

/** The causes for which the conclusion has a quote that was found; one to fill in without any. */
async function draft(call: CommandCall, id: string) {
  const conclusion = await conclusionOf(call, id);
  const causes = (conclusion?.causes ?? []).flatMap(({ entity, code, kind }, at) => {
    const isShown = conclusion?.claims.some(
      ({ cause, outcome }) => cause === at + 1 && outcome === "verified",
    );
    return isShown === true ? [{ object: entity, cause: code === "" ? kind : code, category: kind }] : [];
  });
  return {
    confirmed_by: "",
    causes: causes.length > 0 ? causes : [{ object: "", cause: "", category: "unknown" }],
  };
}

async function conclusionOf(call: CommandCall, id: string): Promise<Conclusion | undefined> {
  try {
    return await apiOf(call).call("GET /api/v1/sessions/:id/conclusion", {
      params: { id },
      signal: call.signal,
    });
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return undefined;
    throw error;
  }
}
