import { readdir } from "node:fs/promises";
import { nearestName } from "#shared/agent-config/suggest-name.ts";

const YAML = /\.ya?ml$/iu;

/** The YAML file of a directory whose name was probably meant to be `name`, which is not there; undefined if there is none. */
export async function similarFile(directory: string, name: string): Promise<string | undefined> {
  const files = await readdir(directory).catch(() => []);
  const candidates = files.filter((file) => YAML.test(file) && file !== name);
  const stem = nearestName(
    name.replace(YAML, ""),
    candidates.map((file) => file.replace(YAML, "")),
  );
  return stem === undefined ? undefined : candidates.find((file) => file.replace(YAML, "") === stem);
}
