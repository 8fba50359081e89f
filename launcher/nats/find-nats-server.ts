import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { errorMessage } from "#shared/errors.ts";
import { fetchNatsServer } from "./fetch-nats-server.ts";
import { LaunchError } from "./launch-error.ts";

type FindNatsServer = {
  /** Where a fetched one is kept, such as `.tarsy/tools`. */
  readonly toolsDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Told in a sentence what takes long or is passed over. */
  readonly progress: (line: string) => void;
};

/** 2.9 lacks multi-filter consumers and loses acknowledged messages by the thousand in a power cut. */
const minimum = [2, 10, 27] as const;
const minimumText = minimum.join(".");
const run = promisify(execFile);

/** The version `binary` states, such as "2.15.1", or `undefined` when it cannot be run. */
export async function natsServerVersion(binary: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(binary, ["--version"], { timeout: 10_000 });
    return /v?(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  } catch {
    // Not there, not executable, built for another machine: none of them is a server we could use.
    return undefined;
  }
}

function isNewEnough(version: string): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, least] of minimum.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

async function fromPath(
  env: NodeJS.ProcessEnv,
  progress: (line: string) => void,
): Promise<string | undefined> {
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    const binary = join(folder, "nats-server");
    if (folder === "" || !existsSync(binary)) continue;
    const version = await natsServerVersion(binary);
    if (version !== undefined && isNewEnough(version)) return binary;
    progress(`${binary} is ${version ?? "not runnable"}, at least ${minimumText} is needed: passed over`);
  }
  return undefined;
}

/**
 * The path of a nats-server of at least 2.10.27: NATS_SERVER_BIN, else one on PATH, else the one in `toolsDir`,
 * else fetched into `toolsDir` from Debian's packages.
 * @throws LaunchError with the remedy in its one sentence.
 */
export async function findNatsServer({ toolsDir, env, progress }: FindNatsServer): Promise<string> {
  const named = env["NATS_SERVER_BIN"];
  if (named !== undefined && named !== "") {
    const version = await natsServerVersion(named);
    if (version !== undefined && isNewEnough(version)) return named;
    throw new LaunchError(
      `NATS_SERVER_BIN is ${named}, which is ${version ?? "no nats-server that runs here"}; it must be a nats-server of at least ${minimumText}.`,
    );
  }
  const found = await fromPath(env, progress);
  if (found !== undefined) return found;
  const kept = join(toolsDir, "nats-server");
  const keptVersion = await natsServerVersion(kept);
  if (keptVersion !== undefined && isNewEnough(keptVersion)) return kept;
  try {
    progress("nats-server: fetching it from Debian's packages");
    await fetchNatsServer({ toolsDir, target: kept });
    const version = await natsServerVersion(kept);
    if (version === undefined || !isNewEnough(version)) {
      throw new Error(`what came is ${version ?? "not runnable here"}`);
    }
    progress(`nats-server ${version} is at ${kept}`);
    return kept;
  } catch (error) {
    throw new LaunchError(
      `No nats-server could be had (${errorMessage(error)}); install nats-server >= ${minimumText} and put it on PATH or set NATS_SERVER_BIN, or set NATS_URL to a running one.`,
      { cause: error },
    );
  }
}
