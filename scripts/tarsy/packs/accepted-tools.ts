import {
  chmodSync,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { ACCEPTED_TOOLS } from "#shared/agent-config/read-packs.ts";
import { errorMessage } from "#shared/errors.ts";
import type { InspectedTool } from "./inspect-server.ts";

const HEAD = `# The definitions of tools that a person has accepted, beside those of the packs: a SHA-256 by server and tool. Written by
# \`tarsy add --accept\`. Review a change like code: agents are offered the tools in the form that these hashes stand for.
servers: {}
`;

/** The lock for changes of a configuration, below the directory of installed packs. */
export const CONFIGURATION_LOCK = ".configuration.lock";

/** Records tools of a server as accepted; undefined instead of tools forgets the server. */
export function writeAccepted(
  configDir: string,
  server: string,
  tools: readonly Pick<InspectedTool, "name" | "hash">[] | undefined,
): void {
  const path = join(configDir, ACCEPTED_TOOLS);
  if (tools?.length === 0 || (tools === undefined && !existsSync(path))) return;
  const document = parseDocument(existsSync(path) ? readFileSync(path, "utf8") : HEAD);
  if (tools === undefined) document.deleteIn(["servers", server]);
  for (const { name, hash } of tools ?? []) document.setIn(["servers", server, name], hash);
  const servers = document.get("servers");
  if (servers !== null && typeof servers === "object" && "flow" in servers) servers.flow = false;
  replaceFile(path, document.toString({ lineWidth: 0 }));
}

/**
 * Writes a file so that a kill or a full disk leaves the old one or the new one. A link stays one, and the mode stays. Throws an Error
 * that names the file.
 */
export function replaceFile(path: string, text: string): void {
  const target = existsSync(path) ? realpathSync(path) : path;
  const draft = `${target}.new`;
  try {
    writeFileSync(draft, text);
    if (existsSync(target)) chmodSync(draft, statSync(target).mode);
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new Error(`${path} cannot be written: ${errorMessage(error)}`, { cause: error });
  }
}
