import { glob, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";

/** The ending of a cassette's file, whatever comes before it. */
const ENDING = ".json";
/** What a pattern may match before it is refused: a slip must not read a whole disk. */
const MAX_MATCHES = 10_000;

/**
 * The files of one entry of a suite's `cassettes`, sorted: a file, the JSON files of a directory, or those that match a pattern
 * (`*`, `**`, `?`, `{a,b}`). Absolute; empty if there are none. Throws RangeError for a pattern that matches too many.
 */
export async function findCassettes(directory: string, path: string): Promise<string[]> {
  const absolute = resolve(directory, path);
  const found = await stat(absolute).catch(() => undefined);
  if (found?.isFile() === true) return [absolute];
  const pattern = found?.isDirectory() === true ? join(relative(directory, absolute), `*${ENDING}`) : path;
  const files: string[] = [];
  for await (const match of glob(pattern, { cwd: directory })) {
    if (files.length >= MAX_MATCHES) throw new RangeError(`matches more than ${MAX_MATCHES} files`);
    if (match.endsWith(ENDING)) files.push(resolve(directory, match));
  }
  return files.toSorted();
}
