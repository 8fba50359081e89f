import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { constants, existsSync, readFileSync } from "node:fs";
import { access, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findPostgresBinaries } from "./find-postgres-binaries.ts";
import { startPostgres, type EmbeddedPostgres } from "./start-postgres.ts";

interface KeptCluster {
  /** The folder of the kept ones. */
  readonly folder: string;
  /** The content of this one, such as `empty`. */
  readonly name: string;
  /** Resolves with what it is made from: with another text it is made again, and the one before is removed. */
  readonly source: () => Promise<string>;
  /** Fills a new one. */
  readonly fill: (postgres: EmbeddedPostgres) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** None is used after the machine has started again: a power failure leaves half of what was not written to the disk. */
const BOOT_ID = "/proc/sys/kernel/random/boot_id";
const UID_MAP = "/proc/self/uid_map";
const UNFINISHED = ".unfinished-";
const run = promisify(execFile);

/**
 * Copies to `dataDir`, unless it exists, a data directory for `startPostgres`. The original is made once per start of the machine, Postgres
 * version and user, and kept if `folder` can be written. A copy takes 0.1 s, making one about 2 s. Throws LaunchError if a new one cannot
 * be started, the error of `fill`, and the signal's reason.
 */
export async function copyKeptCluster(kept: KeptCluster, dataDir: string): Promise<void> {
  if (existsSync(dataDir)) return;
  const { stdout } = await run(findPostgresBinaries().postgres, ["--version"]);
  const prefix = `${kept.name}-${user()}-`;
  const parts = [stdout, textOf(BOOT_ID), await kept.source()];
  const digest = createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 16);
  const path = join(kept.folder, `${prefix}${digest}`);
  if (!existsSync(path)) {
    if (!(await isWritable(kept.folder))) return fillNew(kept, dataDir);
    await make(kept, path);
    await removeOthers(kept.folder, prefix, path);
  }
  await copy(path, dataDir);
}

/** Identifies the user and its user namespace: root of one namespace cannot read what root of another one has made. */
function user(): string {
  const map = createHash("sha256").update(textOf(UID_MAP)).digest("hex").slice(0, 8);
  return `${process.getuid?.() ?? 0}-${map}`;
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** False for example in a checkout that is mounted read-only. */
async function isWritable(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

async function fillNew({ fill, signal }: KeptCluster, dataDir: string): Promise<void> {
  const stoppable = signal === undefined ? {} : { signal };
  const server = await startPostgres({ dataDir, port: "socket", durable: false, ...stoppable });
  try {
    await fill(server);
  } finally {
    await server.stop();
  }
}

async function make(kept: KeptCluster, path: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "tarsy-cluster-"));
  const unfinished = await mkdtemp(join(kept.folder, UNFINISHED));
  try {
    const dataDir = join(directory, "postgres");
    await fillNew(kept, dataDir);
    const whole = join(unfinished, "cluster");
    await copy(dataDir, whole);
    // Another process may have made it first.
    await rename(whole, path).catch((error: unknown) => {
      if (!existsSync(path)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
    await rm(directory, { recursive: true, force: true });
  }
}

/** Removes those that were made from another source. */
async function removeOthers(folder: string, prefix: string, path: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const other = join(folder, name);
    if (name.startsWith(prefix) && other !== path) await rm(other, { recursive: true, force: true });
  }
}

/** Keeps the owners, because Postgres runs as another user if this process is root. */
async function copy(from: string, to: string): Promise<void> {
  await run("cp", ["-a", from, to]);
}
