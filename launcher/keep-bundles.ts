import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { mkdir, readdir, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";

/** What the bundles are made of, and by what. */
const SOURCES = [
  "{services,shared,scripts/tarsy,launcher,lab/replay,lab/evaluation,lab/worlds,deploy/bundle}/**/*.{ts,mjs,json}",
  "package-lock.json",
];
const NO_SOURCES = ["**/test/**", "services/web/**"];

type KeepBundles = {
  /** The checkout. */
  readonly root: string;
  /** Of this caller alone: bundles of other sources in it are removed. */
  readonly directory: string;
  /** The folders of the programs, such as `services/api`. */
  readonly programs: readonly string[];
  /** Called before bundles are made, which takes seconds. */
  readonly onBuild?: () => void;
};

/**
 * Bundles programs of a checkout: a bundle starts with a quarter of the CPU time that the sources take. The bundles stay in
 * `directory` until a source changes.
 * @returns the directory with `<folder of the program>/main.mjs`, and whether it is new
 * @throws Error if a program cannot be bundled
 */
export async function keepBundles({
  root,
  directory,
  programs,
  onBuild,
}: KeepBundles): Promise<{ readonly bundles: string; readonly isNew: boolean }> {
  const name = hashSources(root);
  const kept = join(directory, name);
  // Programs look for files of the checkout from where they are: each is as deep as its sources.
  const bundles = join(kept, "services");
  await mkdir(directory, { recursive: true });
  const others = await readdir(directory);
  if (others.includes(name)) return { bundles, isNew: false };
  onBuild?.();
  await Promise.all(others.map((other) => rm(join(directory, other), { recursive: true })));
  const unfinished = `${kept}.unfinished`;
  const { bundlePrograms } = await import("../deploy/bundle/bundle-services.ts");
  await bundlePrograms(root, programs, join(unfinished, "services"));
  // The api serves the page, which is built into the checkout.
  await symlink(join(root, "services/web"), join(unfinished, "services/web"));
  await symlink(join(root, "packs"), join(unfinished, "packs"));
  await rename(unfinished, kept);
  return { bundles, isNew: true };
}

function hashSources(root: string): string {
  const hash = createHash("sha256");
  for (const path of globSync(SOURCES, { cwd: root, exclude: NO_SOURCES }).toSorted()) {
    hash.update(`${path}\0`).update(readFileSync(join(root, path)));
  }
  return hash.digest("hex").slice(0, 32);
}
