import { tableRows } from "../../../test/support/table-rows.ts";

/** A broken file: `§` marks the position of each error that must be reported, in the order of the file. */
export interface BrokenFile {
  readonly name: string;
  /** `defaults.llm_provider` is added if the text has no defaults. */
  readonly tarsy?: string;
  readonly providers?: string;
  /** The path and a part of the message of each marked error. */
  readonly errors: readonly (readonly [path: string, says: string])[];
}

/**
 * Files with one mistake each, from a table with a line for each: its name | the path, behind `at` | a part of the message | the text that
 * `fileOf` makes a file of, in which \n is the end of a line.
 */
export function brokenRows(
  table: string,
  fileOf: (text: string) => Pick<BrokenFile, "tarsy" | "providers">,
  at = "",
): BrokenFile[] {
  return tableRows(table).map(([name = "", path = "", says = "", text = ""]) => ({
    name,
    ...fileOf(text.replaceAll(String.raw`\n`, "\n")),
    errors: [[at + path, says]],
  }));
}
