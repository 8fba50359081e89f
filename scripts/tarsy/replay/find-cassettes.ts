import { glob, readFile, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import type { Cassette } from "#shared/cassette/cassette.ts";
import { MAX_CASSETTE_BYTES, parseCassette } from "#shared/cassette/parse-cassette.ts";
import { isUuid } from "#shared/contracts/uuid.ts";
import { errorMessage } from "#shared/errors.ts";
import { UsageError, type CommandCall } from "../command.ts";
import { apiOf } from "../connection.ts";

/** The ending of the cassettes in a folder. */
export const CASSETTE_ENDING = ".cassette.json";
const MAX_FOUND = 10_000;

/** A cassette that the command line means, which is read when it is its turn. */
export interface NamedCassette {
  /** The path as a person would write it, or the session's id. */
  readonly name: string;
  /** Throws TerminalError for a file that is no cassette, and ApiFailure. */
  readonly read: () => Promise<Cassette>;
}

/**
 * The cassettes that the arguments name: files, folders with all in them whose name ends with `.cassette.json`, and ids of sessions, which are
 * asked of the api; each once, folders in the order of the paths. Throws UsageError for what is none of these.
 */
export async function findCassettes(call: CommandCall, userDir: string): Promise<NamedCassette[]> {
  const found = new Map<string, NamedCassette>();
  for (const given of call.positionals) {
    for (const one of await expand(call, userDir, given)) found.set(one.name, one);
  }
  return [...found.values()];
}

async function expand(call: CommandCall, userDir: string, given: string): Promise<NamedCassette[]> {
  const path = resolve(userDir, given);
  const kind = await kindOf(path);
  if (kind === "file") return [ofFile(userDir, path)];
  if (kind === "folder") {
    const names: string[] = [];
    for await (const name of glob(`**/*${CASSETTE_ENDING}`, { cwd: path })) {
      if (names.length >= MAX_FOUND) throw new UsageError(`${given} has more than ${MAX_FOUND} cassettes`);
      names.push(name);
    }
    if (names.length === 0) {
      throw new UsageError(`the folder ${given} has no cassette: no file in it ends with ${CASSETTE_ENDING}`);
    }
    return names.toSorted().map((name) => ofFile(userDir, join(path, name)));
  }
  if (isUuid(given)) return [ofSession(call, given.toLowerCase())];
  throw new UsageError(`"${given}" is neither a file, nor a folder, nor the id of a session`);
}

async function kindOf(path: string): Promise<"file" | "folder" | undefined> {
  try {
    const found = await stat(path);
    return found.isDirectory() ? "folder" : "file";
  } catch {
    return undefined;
  }
}

function ofFile(userDir: string, path: string): NamedCassette {
  const short = relative(userDir, path);
  const name = short.startsWith("..") || isAbsolute(short) ? path : short;
  return {
    name,
    read: async () => {
      let text: string;
      try {
        const { size } = await stat(path);
        if (size > MAX_CASSETTE_BYTES) {
          throw new Error(`it has ${size} bytes, of at most ${MAX_CASSETTE_BYTES}`);
        }
        text = await readFile(path, "utf8");
      } catch (error) {
        throw new UsageError(`${name} cannot be read: ${errorMessage(error)}`, { cause: error });
      }
      return parseCassette(text);
    },
  };
}

function ofSession(call: CommandCall, id: string): NamedCassette {
  const api = apiOf(call);
  return {
    name: id,
    read: async () => {
      const { signal } = call;
      const cassette = await api.call("GET /api/v1/sessions/:id/cassette", { params: { id }, signal });
      return parseCassette(JSON.stringify(cassette));
    },
  };
}
