import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Loose } from "#shared/agent-config/check-shape.ts";
import { checkPack } from "#shared/agent-config/checks/check-packs.ts";
import { readCheckedFile } from "#shared/agent-config/read-checked-file.ts";
import { AgentConfigError } from "#shared/agent-config/config-problem.ts";
import { Reporter } from "#shared/agent-config/reporter.ts";
import { AcceptedToolsFile, PackFile } from "#shared/agent-config/schemas/pack-file.ts";
import type { TarsyFile } from "#shared/agent-config/schemas/tarsy-file.ts";
import type { AcceptedDefinitions } from "#shared/agent-config/tool-rules.ts";
import type { Environment } from "#shared/service/environment.ts";

/** The packs that come with TARSy. Bundles are as deep as this folder. */
export const SHIPPED_PACKS = join(import.meta.dirname, "..", "..", "packs");
/** The folder of a team's own packs in its configuration directory. */
export const OWN_PACKS = "packs";
/** The file of a configuration directory with the definitions of tools that a person has accepted. */
export const ACCEPTED_TOOLS = "accepted-tools.yaml";

/** The packs that a `tarsy.yaml` names, and the accepted definitions of the tools of each server with one. */
export interface ConfiguredPacks {
  readonly packs: ReadonlyMap<string, PackFile>;
  readonly accepted: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The names of the packs that a configuration may use: its own and those that come with TARSy, sorted. */
export function packNames(configDir: string): string[] {
  const found = [join(configDir, OWN_PACKS), SHIPPED_PACKS].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder) : [],
  );
  const names = found.flatMap((file) => (file.endsWith(".yaml") ? [file.slice(0, -".yaml".length)] : []));
  return [...new Set(names)].sort();
}

/** The folder with the file of a pack; a team's own goes first. */
export function packFolder(configDir: string, name: string): string {
  const own = join(configDir, OWN_PACKS);
  return existsSync(join(own, `${name}.yaml`)) ? own : SHIPPED_PACKS;
}

/** Reads the packs that the file names, and what was accepted. Everything wrong is reported. */
export async function readPacks(
  configDir: string,
  tarsy: Loose<TarsyFile> | undefined,
  reporter: Reporter,
  env: Environment,
): Promise<ConfiguredPacks> {
  const named = Object.values(tarsy?.mcp_servers ?? {}).flatMap((server) => server?.pack ?? []);
  const known = named.length === 0 ? [] : packNames(configDir);
  const packs = new Map<string, PackFile>();
  for (const name of new Set(named.filter((one) => known.includes(one)))) {
    const pack = await readPack(packFolder(configDir, name), name, reporter, env);
    if (pack !== undefined) packs.set(name, pack);
  }
  if (!existsSync(join(configDir, ACCEPTED_TOOLS))) return { packs, accepted: {} };
  const file = await readCheckedFile(configDir, ACCEPTED_TOOLS, AcceptedToolsFile, reporter, env);
  return { packs, accepted: file?.valid === true ? (file.value.servers ?? {}) : {} };
}

/** Reads and checks `<folder>/<name>.yaml`; undefined, and reported, if it cannot be used. */
export async function readPack(
  folder: string,
  name: string,
  reporter: Reporter,
  env: Environment,
): Promise<PackFile | undefined> {
  const file = await readCheckedFile(folder, `${name}.yaml`, PackFile, reporter, env);
  if (file?.valid !== true) return undefined;
  const { value } = file;
  const isShadowing = folder !== SHIPPED_PACKS && existsSync(join(SHIPPED_PACKS, `${value.pack}.yaml`));
  checkPack(value, { name, isShadowing }, reporter);
  return value;
}

/** Reads `<folder>/<name>.yaml`. Throws AgentConfigError with every mistake. */
export async function loadPack(folder: string, name: string, env: Environment = {}): Promise<PackFile> {
  const reporter = new Reporter(env);
  const pack = await readPack(folder, name, reporter, env);
  const errors = reporter.errors();
  if (pack === undefined || errors.length > 0) throw new AgentConfigError(errors);
  return pack;
}

/** The hashes by which each tool of a server is accepted: those of its pack, and those that a person accepted. */
export function acceptedDefinitions(
  pack: PackFile,
  accepted: Readonly<Record<string, string>> = {},
): AcceptedDefinitions {
  const { definitions = {} } = pack;
  const names = new Set([...Object.keys(definitions), ...Object.keys(accepted)]);
  const hashesOf = (name: string) =>
    [definitions, accepted].flatMap((by) => (Object.hasOwn(by, name) ? [by[name] ?? ""] : []));
  return Object.fromEntries([...names].map((name) => [name, hashesOf(name)]));
}
