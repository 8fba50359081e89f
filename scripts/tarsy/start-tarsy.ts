import { enableCompileCache } from "node:module";
import { projectPaths } from "../../launcher/project-paths.ts";
import { PROJECT_ROOT } from "./project-root.ts";

/** Runs `tarsy` with these arguments as this process. Modules compiled by an earlier run are used again: half the time to start. */
export async function startTarsy(args: readonly string[]): Promise<void> {
  enableCompileCache(projectPaths(PROJECT_ROOT).compileCache);
  // Imported now, because a static import would be compiled before the cache is on.
  const { COMMANDS } = await import("./commands.ts");
  const { runTarsy } = await import("./run-tarsy.ts");
  process.exitCode = await runTarsy(args, { commands: COMMANDS });
}
