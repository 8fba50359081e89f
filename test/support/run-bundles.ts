import { once } from "node:events";
import { join } from "node:path";
import { EXIT_MISCONFIGURED } from "#shared/service/exit-codes.ts";
import { keepBundles } from "../../launcher/keep-bundles.ts";
import {
  BUNDLED,
  BUNDLES_VARIABLE,
  BUSY_NODE_FLAGS,
  CHECKOUT,
  SERVICES,
  spawnService,
} from "./spawn-service.ts";

/**
 * Bundles the services and the commands, for a run that starts hundreds of them. Resolves with the variables by which the test files
 * of the run find them.
 */
export async function bundleForRun(): Promise<Readonly<Record<string, string>>> {
  const directory = join(CHECKOUT, ".tarsy/bundles/tests");
  const { bundles, isNew } = await keepBundles({ root: CHECKOUT, directory, programs: BUNDLED });
  if (isNew) await Promise.all(SERVICES.map((name) => fillCompileCache(name, bundles)));
  return { [BUNDLES_VARIABLE]: bundles };
}

/** A service that is killed writes no compile cache; one that refuses its environment has loaded its code and does. */
async function fillCompileCache(name: (typeof SERVICES)[number], bundles: string): Promise<void> {
  const entry = join(bundles, name, "main.mjs");
  // The flags of the run, for which V8 keeps what it compiles.
  const child = spawnService({
    name,
    env: { LOG_LEVEL: "none" },
    output: "ignore",
    entry,
    flags: BUSY_NODE_FLAGS,
  });
  await once(child, "exit");
  if (child.exitCode !== EXIT_MISCONFIGURED) throw new Error(`${entry} ended with ${child.exitCode}`);
}
