import { createHash } from "node:crypto";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { mkdir, readdir, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { EXIT_MISCONFIGURED } from "#shared/service/exit-codes.ts";
import { bundleTogether } from "../../deploy/bundle/bundle-services.ts";
import { SERVICE_NODE_FLAGS } from "../../launcher/service-node-flags.ts";
import {
  BUNDLED,
  BUNDLES,
  BUNDLES_VARIABLE,
  BUSY_NODE_FLAGS,
  CHECKOUT,
  SERVICES,
  spawnService,
} from "./spawn-service.ts";

/** What the bundles are made of, and by what. */
const SOURCES = [
  "{services,shared,scripts/tarsy,launcher,replay,evaluation,deploy/bundle}/**/*.{ts,mjs,json}",
  "package-lock.json",
];
const NO_SOURCES = ["**/test/**", "services/web/**"];

/**
 * Bundles the services and the commands, for a run that starts hundreds of them: a bundle starts with a quarter of the
 * CPU time that the sources take. The bundles stay in `.tarsy/bundles` until a source changes. Resolves with the variables by
 * which the test files of the run find them.
 */
export async function bundleForRun(): Promise<Readonly<Record<string, string>>> {
  const all = join(CHECKOUT, ".tarsy/bundles");
  const name = hashSources();
  const directory = join(all, name);
  await mkdir(all, { recursive: true });
  const kept = await readdir(all);
  if (!kept.includes(name)) {
    await Promise.all(kept.map((other) => rm(join(all, other), { recursive: true })));
    await buildBundles(directory);
  }
  return { [BUNDLES_VARIABLE]: directory };
}

function hashSources(): string {
  const hash = createHash("sha256");
  for (const path of globSync(SOURCES, { cwd: CHECKOUT, exclude: NO_SOURCES }).toSorted()) {
    hash.update(`${path}\0`).update(readFileSync(join(CHECKOUT, path)));
  }
  return hash.digest("hex").slice(0, 32);
}

async function buildBundles(directory: string): Promise<void> {
  const unfinished = `${directory}.unfinished`;
  // As deep as the folders of the sources, because programs look for files of the checkout from where they are.
  await bundleTogether(CHECKOUT, BUNDLED, join(unfinished, BUNDLES));
  // The api serves the page, which is built into the checkout.
  await symlink(join(CHECKOUT, "services/web"), join(unfinished, "services/web"));
  await rename(unfinished, directory);
  await Promise.all(SERVICES.map((name) => fillCompileCache(name, directory)));
}

/** A service that is killed writes no compile cache; one that refuses its environment has loaded its code and does. */
async function fillCompileCache(name: (typeof SERVICES)[number], directory: string): Promise<void> {
  const entry = join(directory, BUNDLES, `${name}.mjs`);
  // The flags of the run, for which V8 keeps what it compiles.
  const flags = [...SERVICE_NODE_FLAGS, ...BUSY_NODE_FLAGS];
  const child = spawnService({ name, env: { LOG_LEVEL: "none" }, output: "ignore", entry, flags });
  await once(child, "exit");
  if (child.exitCode !== EXIT_MISCONFIGURED) throw new Error(`${entry} ended with ${child.exitCode}`);
}
