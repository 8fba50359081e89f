import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { UsageError, type CommandCall } from "./command.ts";

/** The file that `--junit` names for the results; undefined without it. Throws UsageError before anything is run for a file that cannot be written. */
export async function junitFile({ option }: CommandCall, userDir: string): Promise<string | undefined> {
  const given = option("junit");
  if (given === undefined) return undefined;
  const path = resolve(userDir, given);
  const isIn = async (directory: string) =>
    (await stat(directory).catch(() => undefined))?.isDirectory() === true;
  if (given === "" || (await isIn(path))) throw new UsageError(`--junit is "${given}", which is not a file`);
  if (!(await isIn(dirname(path)))) {
    throw new UsageError(`--junit is "${given}", and there is no folder ${dirname(path)}`);
  }
  return path;
}
