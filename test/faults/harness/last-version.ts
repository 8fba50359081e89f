import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { CHECKOUT } from "../../support/spawn-service.ts";

const run = promisify(execFile);
/** The only place that names the last version: a commit's full hash. A release changes it. */
const LAST_VERSION = "test/faults/last-version.txt";
const INSTALL_MS = 600_000;

/** A directory with the last version's files; disposal removes it. */
export type LastVersion = { readonly path: string } & AsyncDisposable;

/**
 * Writes the last version's files to a temporary directory. Throws if its commit is not in this checkout, as in a shallow one.
 */
export async function writeLastVersion(): Promise<LastVersion> {
  const commit = (await readFile(join(CHECKOUT, LAST_VERSION), "utf8")).trim();
  await run("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: CHECKOUT }).catch((error: unknown) => {
    throw new Error(
      `the commit ${commit} of the last version (${LAST_VERSION}) is not in this checkout: fetch it with git fetch --unshallow`,
      { cause: error },
    );
  });
  const path = await mkdtemp(join(tmpdir(), "tarsy-last-version-"));
  const archive = join(path, "files.tar");
  await run("git", ["archive", "--format=tar", `--output=${archive}`, commit], { cwd: CHECKOUT });
  await run("tar", ["-xf", archive, "-C", path]);
  await rm(archive);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** The last version's files with the packages that it needs. Throws as `writeLastVersion` does. */
export async function checkOutLastVersion(): Promise<LastVersion> {
  const last = await writeLastVersion();
  await installPackages(last.path);
  return last;
}

/** Uses this checkout's packages if the last version has the same, else installs its own. */
async function installPackages(path: string): Promise<void> {
  const lock = "package-lock.json";
  const [theirs, ours] = await Promise.all(
    [path, CHECKOUT].map((root) => readFile(join(root, lock), "utf8")),
  );
  if (theirs === ours) return symlink(join(CHECKOUT, "node_modules"), join(path, "node_modules"));
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"], {
    cwd: path,
    timeout: INSTALL_MS,
  });
}
