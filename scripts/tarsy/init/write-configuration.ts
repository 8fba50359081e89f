import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Found } from "./found.ts";
import { PROJECT_ROOT } from "../project-root.ts";
import { providersFile } from "./providers-file.ts";
import { tarsyFile } from "./tarsy-file.ts";

/** Throws an Error if the directory has one of the files that are written. */
export function refuseExisting(directory: string): void {
  const existing = ["tarsy.yaml", "llm-providers.yaml"].filter((name) => existsSync(join(directory, name)));
  if (existing.length === 0) return;
  throw new Error(
    `${directory} has ${existing.join(" and ")} already: name another directory with --dir, or replace ${existing.length === 1 ? "it" : "them"} with --force`,
  );
}

const CONFIG = join(PROJECT_ROOT, "deploy", "config");

interface WriteConfiguration {
  readonly directory: string;
  readonly found: Found;
  /** Replaces tarsy.yaml and llm-providers.yaml. */
  readonly force: boolean;
}

/**
 * Writes tarsy.yaml, llm-providers.yaml and, if there is none, a .env that only its owner can read. Returns their names. Throws an Error,
 * before anything is written, if one of the first two exists and `force` is false.
 */
export async function writeConfiguration({
  directory,
  found,
  force,
}: WriteConfiguration): Promise<readonly string[]> {
  const files = [
    ["tarsy.yaml", tarsyFile(found, join(CONFIG, "tarsy.schema.json"))],
    ["llm-providers.yaml", providersFile(found, join(CONFIG, "llm-providers.schema.json"))],
  ] as const;
  if (!force) refuseExisting(directory);
  await mkdir(directory, { recursive: true });
  for (const [name, text] of files) {
    await writeFile(join(directory, name), text, { flag: force ? "w" : "wx" });
  }
  const env = join(directory, ".env");
  // It may hold keys, which nothing may delete.
  if (existsSync(env)) return files.map(([name]) => name);
  await writeFile(env, envFile(found), { flag: "wx", mode: 0o600 });
  return [...files.map(([name]) => name), ".env"];
}

function envFile({ keys }: Found): string {
  const lines = keys.map(({ variable }) => `#${variable}=\n`);
  return `# Variables of this configuration; the environment takes precedence. deploy/config/.env.example has all.
${lines.length === 0 ? "" : `# Set in the environment when this file was written. A start from another shell or by a service manager needs them here:\n${lines.join("")}`}`;
}
