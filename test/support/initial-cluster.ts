import { join } from "node:path";
import { copyKeptCluster } from "../../launcher/postgres/copy-kept-cluster.ts";
import { copyMigratedCluster } from "../../launcher/postgres/copy-migrated-cluster.ts";
import { projectPaths } from "../../launcher/project-paths.ts";

const { clusters: folder } = projectPaths(join(import.meta.dirname, "../.."));

/** Copies a newly initialised or migrated data directory to `dataDir` unless it exists. */
export async function copyInitialCluster(dataDir: string, isMigrated: boolean): Promise<void> {
  if (isMigrated) return copyMigratedCluster(folder, dataDir);
  const kept = { folder, name: "empty", source: () => Promise.resolve(""), fill: () => Promise.resolve() };
  return copyKeptCluster(kept, dataDir);
}
