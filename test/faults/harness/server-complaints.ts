import { readFile } from "node:fs/promises";
import { join } from "node:path";

const COMPLAINT = /\[(?:WRN|ERR|FTL)\] (?<text>.*)$/u;

/**
 * What nats-server says of a connection that broke, of a client that was slow or silent, and of a store that a kill left
 * behind. Everything else is about a request that it could not use.
 */
const HARMLESS: readonly RegExp[] = [];

/** The warnings and errors in the logs of NATS servers, each once, except harmless ones and those that match `allowed`. */
export async function serverComplaints(
  directories: readonly string[],
  allowed: readonly RegExp[],
): Promise<string[]> {
  const found = new Set<string>();
  for (const directory of directories) {
    // A server in a container keeps its log to itself.
    const log = await readFile(join(directory, "server.log"), "utf8").catch(() => "");
    for (const line of log.split("\n")) {
      const text = COMPLAINT.exec(line)?.groups?.["text"];
      if (text !== undefined && ![...HARMLESS, ...allowed].some((pattern) => pattern.test(text)))
        found.add(text);
    }
  }
  return [...found];
}
