import { rename, writeFile } from "node:fs/promises";
import { stringify } from "yaml";

/** Replaces a script of the scripted provider in one step: a gateway that reads it meanwhile sees the old one or the new one. */
export async function writeScript(path: string, calls: readonly object[]): Promise<void> {
  const unfinished = `${path}.unfinished`;
  await writeFile(unfinished, stringify({ calls }));
  await rename(unfinished, path);
}
