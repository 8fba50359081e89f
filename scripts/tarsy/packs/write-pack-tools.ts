import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isNode, parseDocument } from "yaml";
import { completeServer } from "#shared/agent-config/complete-server.ts";
import { hashesFile, installPack } from "../../../launcher/packs/install-pack.ts";
import type { FoundPack, InstallOptions } from "../../../launcher/packs/run-installer.ts";
import { runnerEnvironment } from "../config-dir.ts";
import { replaceFile } from "./accepted-tools.ts";
import { inspectServer } from "./inspect-server.ts";

const GUESSED =
  " Guessed from what the server says of its tools; what it does not say is in `write`. Review each tool.";

/**
 * Installs and starts the server of a pack's file, and writes its tools and their definitions into the file; the rest of it stays. The
 * hashes of the packages of npm are kept beside it, unless they are there. Returns the number of tools. Throws an Error that says why it cannot.
 */
export async function writePackTools(
  found: FoundPack,
  directory: string,
  options: InstallOptions,
): Promise<number> {
  const { pack, folder } = found;
  await installPack(found, options);
  const env = runnerEnvironment(directory, options.env);
  const packs = new Map([[pack.pack, { ...pack, tools: {} }]]);
  const entry = { ...completeServer({ pack: pack.pack }, packs, env), trust_annotations: true };
  const server = { id: pack.pack, pack, entry, definitions: {} };
  const { problem, tools } = await inspectServer(server, {
    configDir: directory,
    env,
    signal: options.signal,
  });
  if (problem !== undefined) throw new Error(problem);
  const hashes = hashesFile(found);
  if (pack.server?.from === "npm" && !existsSync(hashes)) {
    replaceFile(hashes, readFileSync(join(options.directory, pack.pack, "package-lock.json"), "utf8"));
  }
  const path = join(folder, `${pack.pack}.yaml`);
  const document = parseDocument(readFileSync(path, "utf8"));
  const effects = ["read", "idempotent", "write", "destructive"] as const;
  const lists = effects.map(
    (effect) => [effect, tools.filter((tool) => tool.effect === effect).map(({ name }) => name)] as const,
  );
  const approve = lists.flatMap(([effect, names]) =>
    effect === "write" || effect === "destructive" ? names : [],
  );
  const all = [...lists, ["approve", approve] as const].filter(([, names]) => names.length > 0);
  document.set("tools", document.createNode(Object.fromEntries(all)));
  document.set("definitions", Object.fromEntries(tools.map(({ name, hash }) => [name, hash])));
  document.delete("unlisted");
  const written = document.get("tools", true);
  if (isNode(written)) written.commentBefore = GUESSED;
  replaceFile(path, document.toString({ lineWidth: 0 }));
  return tools.length;
}
