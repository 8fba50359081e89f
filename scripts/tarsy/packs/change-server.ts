import { readFileSync } from "node:fs";
import { join } from "node:path";
import { removePack } from "../../../launcher/packs/install-pack.ts";
import { whileLocked } from "../../../launcher/process/while-locked.ts";
import { projectPaths } from "../../../launcher/project-paths.ts";
import { UsageError, type CommandCall } from "../command.ts";
import { existingDirectory, runnerEnvironment } from "../config-dir.ts";
import { EXIT } from "../exit-codes.ts";
import { PROJECT_ROOT } from "../project-root.ts";
import { readTexts, writeTexts } from "./accepted-texts.ts";
import { CONFIGURATION_LOCK, replaceFile, writeAccepted } from "./accepted-tools.ts";
import { decide } from "./decide.ts";
import { removeServer } from "./edit-tarsy-file.ts";
import { inspectServer } from "./inspect-server.ts";
import { packedServers } from "./packed-servers.ts";

const PACKS = projectPaths(PROJECT_ROOT).packs;

/** Shows the tools of a server that are held back, and records those that the person accepts. */
export async function acceptTools(call: CommandCall, id: string): Promise<number> {
  const { terminal, signal } = call;
  const directory = existingDirectory(call);
  const env = runnerEnvironment(directory, call.env);
  const server = (await packedServers(directory, env)).find((one) => one.id === id);
  if (server === undefined) throw new UsageError(`mcp_servers of ${directory} has no ${id} with a pack`);
  const inspection = await inspectServer(server, { configDir: directory, env, signal });
  const accepted = await decide(call, server, inspection, readTexts(directory, id));
  if (accepted === undefined) return EXIT.failed;
  await change(call, () => {
    writeAccepted(directory, id, accepted);
    writeTexts(directory, id, inspection.tools);
  });
  const names = accepted.map(({ name }) => name);
  terminal.write(
    names.length === 0 ? "nothing is held back\n" : `accepted   ${names.join(", ")}: start TARSy again\n`,
  );
  return EXIT.done;
}

/** Removes a server from the configuration, with its program if no other one needs it. */
export async function removeServerOf(call: CommandCall, id: string): Promise<number> {
  const directory = existingDirectory(call);
  const path = join(directory, "tarsy.yaml");
  const servers = await packedServers(directory, runnerEnvironment(directory, call.env));
  const server = servers.find((one) => one.id === id);
  if (server === undefined) throw new UsageError(`mcp_servers of ${directory} has no ${id} with a pack`);
  await change(call, () => {
    replaceFile(path, removeServer(readFileSync(path, "utf8"), id));
    writeAccepted(directory, id, undefined);
    writeTexts(directory, id, undefined);
  });
  const isShared = servers.some((other) => other.id !== id && other.pack.pack === server.pack.pack);
  if (!isShared) await removePack(server.pack, { directory: PACKS, ...waiting(call) });
  call.terminal.write(
    `removed    ${id}; its variables stay in .env, and agents that name it must be changed\n`,
  );
  return EXIT.done;
}

async function change(call: CommandCall, work: () => void): Promise<void> {
  await whileLocked(join(PACKS, CONFIGURATION_LOCK), waiting(call), work);
}

function waiting({ signal, terminal }: CommandCall) {
  return { signal, progress: (line: string) => terminal.warn(`${line}\n`) };
}
