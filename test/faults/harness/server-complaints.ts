import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The configuration with the random passwords is readable for its owner only, as the services' environment is. */
const PASSWORDS = /^Plaintext passwords detected/u;
const COMPLAINT = /\[(?:WRN|ERR|FTL)\] (?<text>.*)$/u;

/** The warnings and errors in the logs of NATS servers, each once, except those that match `allowed`. */
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
      if (text === undefined || PASSWORDS.test(text)) continue;
      if (!allowed.some((pattern) => pattern.test(text))) found.add(text);
    }
  }
  return [...found];
}
