import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { errorMessage } from "#shared/errors.ts";
import { LaunchError } from "../launch-error.ts";
import { fetchDebianPrograms } from "../debian/fetch-debian-programs.ts";

type FindNatsServer = {
  /** The directory for a downloaded nats-server, such as `.tarsy/tools`. */
  readonly toolsDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Called with a sentence about a download or a skipped binary. */
  readonly progress: (line: string) => void;
};

/** 2.9 lacks multi-filter consumers and loses acknowledged messages by the thousand in a power cut. */
const minimum = [2, 10, 27] as const;
const minimumText = minimum.join(".");
const run = promisify(execFile);

/** The version that `binary` prints, such as "2.15.1", or `undefined` if it cannot be run. */
async function natsServerVersion(binary: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(binary, ["--version"], { timeout: 10_000 });
    return /v?(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  } catch {
    // Missing, not executable or built for another machine.
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
    progress(`${binary} is ${version ?? "not runnable"}, at least ${minimumText} is needed: skipped`);
  }
  return undefined;
}

/**
 * Finds a nats-server of at least 2.10.27: NATS_SERVER_BIN, else one on PATH, else the one in `toolsDir`, else one that is
 * downloaded into `toolsDir` from Debian's packages. Resolves with its path.
 * @throws LaunchError with the remedy.
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
  const downloaded = join(toolsDir, "nats-server");
  const downloadedVersion = await natsServerVersion(downloaded);
  if (downloadedVersion !== undefined && isNewEnough(downloadedVersion)) return downloaded;
  try {
    progress("nats-server: downloading it from Debian's packages");
    await fetchNatsServer({ toolsDir, target: downloaded });
    const version = await natsServerVersion(downloaded);
    if (version === undefined || !isNewEnough(version)) {
      throw new Error(`the downloaded one is ${version ?? "not runnable here"}`);
    }
    progress(`nats-server ${version} is at ${downloaded}`);
    return downloaded;
  } catch (error) {
    throw new LaunchError(
      `No nats-server was found or downloaded (${errorMessage(error)}); install nats-server >= ${minimumText} and put it on PATH or set NATS_SERVER_BIN, or set NATS_URL to a running one.`,
      { cause: error },
    );
  }
}

/** A Go program without libraries also runs on older releases than this one. */
const SUITE = "forky";

/**
 * Downloads Debian's package and puts its nats-server at `target` (a path in `toolsDir`), as an ordinary user and without
 * changing the package state of the machine.
 * @throws Error whose message is a sentence fragment with the cause.
 */
async function fetchNatsServer({ toolsDir, target }: { toolsDir: string; target: string }): Promise<void> {
  const programs = { "nats-server": target };
  await fetchDebianPrograms({ toolsDir, packageName: "nats-server", suite: SUITE, programs });
}
