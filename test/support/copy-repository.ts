import { chmod, cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { projectRoot } from "../../launcher/prepare.mjs";

/** What is no part of the repository; other tests build the page meanwhile. */
const NOT_COPIED = /^(?:node_modules|\.git|\.tarsy|var)$|^services\/web\/dist/u;

/** A temporary copy of the repository's files, without its history, and with its installed packages. Disposal removes it. */
export async function copyRepository(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "tarsy-copy-"));
  // Postgres runs as a user of its own, who must reach the files.
  await chmod(path, 0o755);
  await cp(projectRoot, path, {
    recursive: true,
    filter: (source) => !NOT_COPIED.test(relative(projectRoot, source)),
  });
  await symlink(join(projectRoot, "node_modules"), join(path, "node_modules"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
