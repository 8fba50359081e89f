import { glob, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import type { SuiteCase } from "./suite.ts";

/** The ending of a case's file, whatever comes before it, and the files of a directory that has them. */
const KINDS = {
  cassette: { ending: /\.json$/u, inDirectory: "*.json" },
  world: { ending: /\.world\.json(?:\.gz)?$/u, inDirectory: "**" },
} as const;
/** What a pattern may match before it is refused: a slip must not read a whole disk. */
const MAX_MATCHES = 10_000;

/**
 * The files of one entry of a suite's `cassettes` or `worlds`, sorted: a file, those of a directory (of cassettes: directly in it), or those
 * that match a pattern (`*`, `**`, `?`, `{a,b}`). Absolute; empty if there are none. Throws RangeError for a pattern that matches too many.
 */
export async function findCases(directory: string, path: string, kind: SuiteCase["kind"]): Promise<string[]> {
  const { ending, inDirectory } = KINDS[kind];
  const absolute = resolve(directory, path);
  const found = await stat(absolute).catch(() => undefined);
  if (found?.isFile() === true) return [absolute];
  const pattern = found?.isDirectory() === true ? join(relative(directory, absolute), inDirectory) : path;
  const files: string[] = [];
  for await (const match of glob(pattern, { cwd: directory })) {
    if (files.length >= MAX_MATCHES) throw new RangeError(`matches more than ${MAX_MATCHES} files`);
    if (ending.test(match)) files.push(resolve(directory, match));
  }
  return files.toSorted();
}
