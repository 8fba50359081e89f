import { readFile } from "node:fs/promises";
import { UsageError } from "./command.ts";

/** The text of an option: as it is given or, behind an @, the content of a file. Throws UsageError for a file that cannot be read. */
export async function textArgument(option: string, given: string, signal: AbortSignal): Promise<string> {
  if (!given.startsWith("@")) return given;
  const file = given.slice(1);
  try {
    return await readFile(file, { encoding: "utf8", signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new UsageError(
      `${option} names the file "${file}", which cannot be read: give @FILE of a readable file, or the text`,
      {
        cause: error,
      },
    );
  }
}
