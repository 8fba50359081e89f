import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { migrate } from "#shared/database/schema/migrate.ts";
import { copyKeptCluster } from "./copy-kept-cluster.ts";

const DATABASE = join(import.meta.dirname, "../../shared/database");

let source: Promise<string> | undefined;

/**
 * Copies to `dataDir`, unless it exists, a data directory for `startPostgres` with the newest schema. The original is in `folder`; it is made
 * again when the code of the schema has changed. Throws as `copyKeptCluster` does, and errors of the migrations.
 */
export async function copyMigratedCluster(
  folder: string,
  dataDir: string,
  signal?: AbortSignal,
): Promise<void> {
  await copyKeptCluster(
    {
      folder,
      name: "migrated",
      source: () => (source ??= hashSchema()),
      fill: async (postgres) => void (await migrate(postgres, pino({ level: "silent" }))),
      signal,
    },
    dataDir,
  );
}

/** All code beside the migrations counts: it makes views, roles and privileges. */
async function hashSchema(): Promise<string> {
  const names = await readdir(DATABASE, { recursive: true });
  const files = names.filter((name) => name.endsWith(".ts") && !name.startsWith("test/"));
  const hash = createHash("sha256");
  for (const file of files.toSorted()) hash.update(file).update(await readFile(join(DATABASE, file)));
  return hash.digest("hex");
}
