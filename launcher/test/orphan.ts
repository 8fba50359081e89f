import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseProcessIdentity } from "../process/process-identity.mjs";

/** Changes the record of the embedded server in `dataDir` as if its owner had been killed. */
export function orphan(dataDir: string): void {
  const path = join(dataDir, "server.json");
  const record: unknown = JSON.parse(readFileSync(path, "utf8"));
  const server =
    typeof record === "object" && record !== null && "server" in record ? record.server : undefined;
  const owner = { pid: process.pid, started: "earlier" };
  writeFileSync(path, JSON.stringify({ server: parseProcessIdentity(server), owner }));
}
