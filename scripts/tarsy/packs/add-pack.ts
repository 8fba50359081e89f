import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { completeServer } from "#shared/agent-config/complete-server.ts";
import {
  acceptedDefinitions,
  loadPack,
  OWN_PACKS,
  packFolder,
  packNames,
  SHIPPED_PACKS,
} from "#shared/agent-config/read-packs.ts";
import { suggestName } from "#shared/agent-config/suggest-name.ts";
import { hashesFile, installPack } from "../../../launcher/packs/install-pack.ts";
import type { FoundPack } from "../../../launcher/packs/run-installer.ts";
import { writePrivateFile } from "../../../launcher/private-file.ts";
import { whileLocked } from "../../../launcher/process/while-locked.ts";
import { projectPaths } from "../../../launcher/project-paths.ts";
import { UsageError, type CommandCall } from "../command.ts";
import { runnerEnvironment, userDirectory } from "../config-dir.ts";
import { EXIT } from "../exit-codes.ts";
import { PROJECT_ROOT } from "../project-root.ts";
import { writeTexts } from "./accepted-texts.ts";
import { CONFIGURATION_LOCK, replaceFile, writeAccepted } from "./accepted-tools.ts";
import { decide } from "./decide.ts";
import { insertServer } from "./edit-tarsy-file.ts";
import { givenSettings } from "./given-settings.ts";
import { type InspectedTool, inspectServer } from "./inspect-server.ts";
import { writePackTools } from "./write-pack-tools.ts";

/** Adds a pack to a configuration directory, or writes the tools of its server into its file; resolves with the exit code. */
export async function addPack(call: CommandCall, name: string, directory: string): Promise<number> {
  const { terminal, signal } = call;
  const found = await findPack(call, name, directory);
  const { pack } = found;
  const id = pack.pack;
  const { packs } = projectPaths(PROJECT_ROOT);
  const installing = {
    directory: packs,
    env: call.env,
    signal,
    progress: (line: string) => terminal.warn(`${line}\n`),
  };
  if (call.flag("list")) {
    const count = await writePackTools(found, directory, installing);
    terminal.write(
      `wrote      ${count} tools of ${id}: review the effect of each, then add it without --list\n`,
    );
    return EXIT.done;
  }
  const path = join(directory, "tarsy.yaml");
  const own = runnerEnvironment(directory, call.env);
  const { variables, settings, missing } = givenSettings(call, pack, own);
  const lines = Object.entries(settings).map(([key, value]) => `  ${key}: "${value}"`);
  const entry = [`pack: ${id}`, ...(lines.length === 0 ? [] : ["settings:", ...lines])];
  // Everything that can be refused is refused before anything is installed.
  const files = ownFiles(found, directory);
  refuseOthers(files);
  const changed = () => insertServer(existsSync(path) ? readFileSync(path, "utf8") : "", id, entry);
  changed();
  terminal.write(planOf(found, directory));
  if (call.flag("dry-run")) return EXIT.done;
  if (missing.length > 0) {
    const where = `${join(directory, "tool-runner.env")} or the environment`;
    throw new Error(`${id} needs ${missing.join(", ")}: set it in ${where}, or give --url or --token-env`);
  }
  await installPack(found, installing);
  const env = { ...own, ...variables };
  const server = completeServer({ pack: id, settings }, new Map([[id, pack]]), env);
  const packed = { id, pack, entry: server, definitions: acceptedDefinitions(pack) };
  const inspection = await inspectServer(packed, { configDir: directory, env, signal });
  const accepted = await decide(call, packed, inspection);
  if (accepted === undefined) return EXIT.failed;
  // The files may have changed meanwhile.
  await whileLocked(join(packs, CONFIGURATION_LOCK), installing, () => {
    refuseOthers(files);
    write({ directory, text: changed(), variables, accepted, tools: inspection.tools, id, files });
  });
  terminal.write(`added      ${id} to ${path}\n`);
  terminal.write("next       name it in mcp_servers of an agent, then start TARSy again\n");
  return EXIT.done;
}

async function findPack(call: CommandCall, name: string, directory: string): Promise<FoundPack> {
  if (name.endsWith(".yaml")) {
    const file = resolve(userDirectory(call), name);
    return { folder: dirname(file), pack: await loadPack(dirname(file), basename(file, ".yaml"), call.env) };
  }
  if (call.flag("list")) throw new UsageError(`--list writes into a file of yours: use ./${name}.yaml`);
  const known = packNames(directory);
  if (!known.includes(name)) {
    throw new UsageError(
      `there is no pack ${name}; ${suggestName(name, known)}; or name a file, ./${name}.yaml`,
    );
  }
  const folder = packFolder(directory, name);
  return { folder, pack: await loadPack(folder, name, call.env) };
}

function planOf({ pack, folder }: FoundPack, directory: string): string {
  const { server, transport, settings = {} } = pack;
  const integrity = server?.integrity === undefined ? "" : ` (${server.integrity})`;
  const program =
    server === undefined
      ? (transport.command ?? transport.url ?? "")
      : `${server.name} ${server.version} of ${server.from}${integrity}`;
  const rows = Object.entries(settings).map(([name, { env, required, secret }]) => {
    const notes = [
      `${name} from ${env}`,
      ...(required === true ? [] : ["optional"]),
      ...(secret === true ? ["secret"] : []),
    ];
    return `setting    ${notes.join(", ")}\n`;
  });
  return `pack       ${pack.pack} of ${folder}, for ${directory}\nserver     ${program}\n${rows.join("")}`;
}

/** The text of each file of a pack from elsewhere, by the path of its copy: the pack is last, so that no half of it is found. */
function ownFiles(found: FoundPack, directory: string): ReadonlyMap<string, string> {
  const { pack, folder } = found;
  const own = join(directory, OWN_PACKS);
  if (folder === SHIPPED_PACKS || folder === own) return new Map();
  const files = [hashesFile(found), join(folder, `${pack.pack}.yaml`)].filter((file) => existsSync(file));
  return new Map(files.map((file) => [join(own, basename(file)), readFileSync(file, "utf8")]));
}

/** Throws UsageError if another file is in the place of a copy. */
function refuseOthers(files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    if (!existsSync(path) || readFileSync(path, "utf8") === text) continue;
    throw new UsageError(`${path} is there already: change that file, and add it by its name`);
  }
}

interface Written {
  readonly directory: string;
  readonly id: string;
  /** Of tarsy.yaml. */
  readonly text: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly accepted: readonly InspectedTool[];
  /** All that the server lists. */
  readonly tools: readonly InspectedTool[];
  readonly files: ReadonlyMap<string, string>;
}

/** Each file is replaced whole. tarsy.yaml is last: until it names the server, nothing of the rest has an effect. */
function write({ directory, id, text, variables, accepted, tools, files }: Written): void {
  mkdirSync(files.size === 0 ? directory : join(directory, OWN_PACKS), { recursive: true });
  for (const [path, content] of files) replaceFile(path, content);
  writeAccepted(directory, id, accepted);
  writeTexts(directory, id, tools);
  const known = runnerEnvironment(directory, {});
  const lines = Object.entries(variables).filter(([name]) => known[name] === undefined);
  if (lines.length > 0) {
    const path = join(directory, ".env");
    const before = existsSync(path) ? readFileSync(path, "utf8") : "";
    const start = before === "" || before.endsWith("\n") ? before : `${before}\n`;
    writePrivateFile(path, start + lines.map(([name, value]) => `${name}=${value}\n`).join(""));
  }
  const providers = join(directory, "llm-providers.yaml");
  if (!existsSync(providers)) {
    replaceFile(providers, "# The LLM providers by name: docs/providers.md\nllm_providers:\n");
  }
  replaceFile(join(directory, "tarsy.yaml"), text);
}
