import { glob, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { parseTruth, parseWorld } from "#shared/worlds/parse-world.ts";
import { WORLD_LIMITS, type Truth, type World } from "#shared/worlds/world-format.ts";
import { worldHash } from "#shared/worlds/world-hash.ts";

const unpacked = promisify(gunzip);

/** The endings of a world's file. */
export const WORLD_ENDING = /\.world\.json(?:\.gz)?$/u;

/** A world and its hash. Throws TerminalError for a file that has none, and the error of the file. */
export async function readWorld(file: string): Promise<{ readonly world: World; readonly hash: string }> {
  const bytes = await readFile(file);
  const isPacked = file.endsWith(".gz");
  const json = isPacked ? await unpacked(bytes, { maxOutputLength: WORLD_LIMITS.bytes }) : bytes;
  const world = parseWorld(json.toString("utf8"));
  return { world, hash: worldHash(world) };
}

/** The truth of a world that `readWorld` read from a file. Only the grading of a session that has ended may call this. */
export async function readTruth(
  worldFile: string,
  { world, hash }: { readonly world: Pick<World, "id">; readonly hash: string },
): Promise<Truth> {
  return parseTruth(await readFile(truthFileOf(worldFile), "utf8"), { id: world.id, hash });
}

/** The file with the truth of the world in a file. */
export function truthFileOf(worldFile: string): string {
  return worldFile.replace(WORLD_ENDING, ".truth.json");
}

/** The files of the worlds in a directory and below it, sorted; absolute. */
export async function findWorlds(directory: string): Promise<string[]> {
  const files: string[] = [];
  for await (const match of glob("**/*.world.{json,json.gz}", { cwd: directory })) {
    files.push(resolve(directory, match));
  }
  return files.toSorted();
}
