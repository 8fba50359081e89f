import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { ACCEPTED_TOOLS } from "#shared/agent-config/read-packs.ts";

const HEAD = `# The definitions of tools that a person has accepted, beside those of the packs: a SHA-256 by server and tool. Written by
# \`tarsy add --accept\`. Review a change like code: agents are offered the tools in the form that these hashes stand for.
servers: {}
`;

/** Records tools of a server as accepted; undefined instead of hashes forgets the server. */
export function writeAccepted(
  configDir: string,
  server: string,
  hashes: Readonly<Record<string, string>> | undefined,
): void {
  const path = join(configDir, ACCEPTED_TOOLS);
  if (hashes === undefined && !existsSync(path)) return;
  const document = parseDocument(existsSync(path) ? readFileSync(path, "utf8") : HEAD);
  if (hashes === undefined) document.deleteIn(["servers", server]);
  for (const [tool, hash] of Object.entries(hashes ?? {})) document.setIn(["servers", server, tool], hash);
  const servers = document.get("servers");
  if (servers !== null && typeof servers === "object" && "flow" in servers) servers.flow = false;
  replaceFile(path, document.toString({ lineWidth: 0 }));
}

/** Writes a file so that a kill leaves the old one or the new one. */
export function replaceFile(path: string, text: string): void {
  const draft = `${path}.new`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}
