import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startPostgres } from "../../launcher/postgres/start-postgres.ts";
import { findPostgresBinaries } from "../../launcher/postgres/find-postgres-binaries.ts";

const run = promisify(execFile);
const CACHE = join(import.meta.dirname, "../../.tarsy/test-clusters");

let cached: Promise<string> | undefined;

/**
 * Gives `dataDir` the data directory of a first start unless it has one: a copy takes a tenth of a second, `initdb` more than one.
 * The original is made once per checkout, version of Postgres and user.
 */
export async function copyInitialCluster(dataDir: string): Promise<void> {
  if (existsSync(dataDir)) return;
  cached ??= findOriginal();
  const original = await cached;
  await copy(original, dataDir);
}

async function findOriginal(): Promise<string> {
  const { stdout } = await run(findPostgresBinaries().postgres, ["--version"]);
  const version = stdout.trim().replaceAll(/[^\w.]+/gu, "-");
  const path = join(CACHE, `${version}-${process.getuid?.() ?? 0}`);
  if (!existsSync(path)) await makeOriginal(path);
  return path;
}

async function makeOriginal(path: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const directory = await mkdtemp(join(tmpdir(), "tarsy-cluster-"));
  const making = `${path}.${process.pid}`;
  try {
    const dataDir = join(directory, "postgres");
    const server = await startPostgres({ dataDir, port: 0, durable: false });
    await server.stop();
    await copy(dataDir, making);
    // Another process may have been faster.
    await rename(making, path).catch((error: unknown) => {
      if (!existsSync(path)) throw error;
    });
  } finally {
    await rm(making, { recursive: true, force: true });
    await rm(directory, { recursive: true, force: true });
  }
}

/** With its owners: as root, Postgres runs as another user. */
async function copy(from: string, to: string): Promise<void> {
  await run("cp", ["-a", from, to]);
}
