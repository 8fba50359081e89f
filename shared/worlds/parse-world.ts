import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { Static, TSchema } from "#shared/generated/typebox/typebox.mjs";
import { OWN_SCHEMA_OPTIONS } from "#shared/contracts/compile-parser.ts";
import { TIME_FORM, isRfc3339 } from "#shared/contracts/parse-instant.ts";
import { BUILT_IN_SERVER, isServerId } from "#shared/contracts/tool-names.ts";
import { TerminalError, errorMessage } from "#shared/errors.ts";
import { isJsonObject } from "#shared/json-object.ts";
import { parseJson } from "#shared/parse-json.ts";
import { postgresSafeValue } from "#shared/postgres-safe-value.ts";
import {
  TRUTH_FORMAT,
  Truth,
  WORLD_FORMAT,
  WORLD_LIMITS,
  WORLD_VERSION,
  World,
  type WorldAnswer,
} from "./world-format.ts";

/** JSON Schemas of tools can be deep. */
const MAX_LEVELS = 256;

/** Verbose: an error has the schema that it violates, which says what is allowed. */
const ajv = new Ajv({ strict: true, allowUnionTypes: true, verbose: true, ...OWN_SCHEMA_OPTIONS });
const checkWorld = once(World);
const checkTruth = once(Truth);

/** Reads a world from its JSON text. Throws TerminalError `malformed` that names the member, what is wrong and what is allowed. */
export function parseWorld(text: string): World {
  const world = parse("world", WORLD_FORMAT, text, checkWorld);
  const wrong = wrongIn(world);
  if (wrong !== undefined) throw malformed("world", wrong);
  return world;
}

/**
 * Reads the truth of a world, which has the hash of world-hash.ts, from its JSON text. Throws TerminalError `malformed`, also for the truth of another world or of another
 * version of this one.
 */
export function parseTruth(text: string, world: { readonly id: string; readonly hash: string }): Truth {
  const truth = parse("truth", TRUTH_FORMAT, text, checkTruth);
  if (truth.world !== world.id) {
    throw malformed("truth", `world must be ${world.id}, of which it is read, not ${truth.world}`);
  }
  if (truth.world_hash !== world.hash) {
    throw malformed(
      "truth",
      `world_hash must be ${world.hash}, not ${truth.world_hash}: the world ${world.id} was changed after its truth was written`,
    );
  }
  return truth;
}

type What = "world" | "truth";

function parse<T>(what: What, form: string, text: string, check: () => ValidateFunction<T>): T {
  if (Buffer.byteLength(text) > WORLD_LIMITS.bytes) {
    throw malformed(what, `it has more than ${WORLD_LIMITS.bytes / 1024 / 1024} MiB`);
  }
  let value: unknown;
  try {
    value = parseJson(text, MAX_LEVELS);
  } catch (error) {
    throw malformed(what, `it is not JSON, or nested too deeply (${errorMessage(error)})`, error);
  }
  const { format, version } = isJsonObject(value) ? value : {};
  if (format !== form) throw malformed(what, `format must be "${form}", not ${JSON.stringify(format)}`);
  if (version !== WORLD_VERSION) {
    throw malformed(
      what,
      `version must be ${WORLD_VERSION}, not ${JSON.stringify(version)}: use the TARSy that wrote it`,
    );
  }
  if (postgresSafeValue(value) !== value) {
    throw malformed(what, "its texts must not have NUL or half a surrogate pair, which cannot be stored");
  }
  const validate = check();
  if (validate(value)) return value;
  throw malformed(what, describe(validate.errors?.[0]));
}

/** Compiles a schema at its first use. */
function once<S extends TSchema>(schema: S): () => ValidateFunction<Static<S>> {
  let compiled: ValidateFunction<Static<S>> | undefined;
  return () => (compiled ??= ajv.compile<Static<S>>(schema));
}

function describe(violation: ErrorObject | undefined): string {
  const { instancePath = "", message = "is not allowed", params = {}, parentSchema } = violation ?? {};
  const at = instancePath === "" ? "the value" : instancePath.slice(1).replaceAll("/", ".");
  const { additionalProperty, allowedValues }: Record<string, unknown> = params;
  if (typeof additionalProperty === "string") {
    const known: unknown = parentSchema?.["properties"];
    const allowed = isJsonObject(known) ? Object.keys(known).join(", ") : "none";
    return `${at} has the unknown member ${JSON.stringify(additionalProperty)}; allowed: ${allowed}`;
  }
  return `${at} ${message}${Array.isArray(allowedValues) ? `: ${allowedValues.join(", ")}` : ""}`;
}

/** What no schema can say; undefined if nothing is wrong. */
function wrongIn({ id, clock, servers, answers }: World): string | undefined {
  if (!isWorldId(id)) {
    return `id must be names of letters, digits, ".", "_" and "-", with "/" between them, not ${JSON.stringify(id)}`;
  }
  if (!isRfc3339(clock.now)) return `clock.now must be ${TIME_FORM}, not ${clock.now}`;
  const tools = new Set<string>();
  for (const server of servers) {
    if (!isServerId(server.id) || server.id === BUILT_IN_SERVER) {
      return `servers: the id ${JSON.stringify(server.id)} must have at most 40 letters, digits, "-" and single "_", and not be ${BUILT_IN_SERVER}`;
    }
    for (const tool of server.tools) {
      const name = `${server.id}.${tool.name}`;
      if (tools.has(name)) return `servers: the tool ${name} must be there once`;
      tools.add(name);
    }
  }
  if (tools.size > WORLD_LIMITS.tools) {
    return `servers must have at most ${WORLD_LIMITS.tools} tools together, not ${tools.size}`;
  }
  for (const [at, answer] of answers.entries()) {
    const wrong = wrongInAnswer(answer, tools);
    if (wrong !== undefined) return `answers.${at}.${wrong}`;
  }
  return undefined;
}

function wrongInAnswer({ tool, text }: WorldAnswer, tools: ReadonlySet<string>): string | undefined {
  if (!tools.has(tool)) return `tool must be a tool of servers, not ${JSON.stringify(tool)}`;
  if (Buffer.byteLength(text) > WORLD_LIMITS.textBytes) {
    return `text must have at most ${WORLD_LIMITS.textBytes / 1024 / 1024} MiB`;
  }
  return undefined;
}

/** True for names with "/" between them, none of which leaves the directory of worlds. */
export function isWorldId(text: string): boolean {
  return /^(?!\.{1,2}(?:\/|$))[\w.-]+(?:\/(?!\.{1,2}(?:\/|$))[\w.-]+)*$/u.test(text);
}

function malformed(what: What, reason: string, cause?: unknown): TerminalError {
  return new TerminalError("malformed", `the ${what} cannot be read: ${reason}`, { cause });
}
