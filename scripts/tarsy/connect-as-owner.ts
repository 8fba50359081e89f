import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connectClient } from "#shared/database/connection/connect-client.ts";
import type { Environment } from "#shared/service/environment.ts";
import { PROJECT_ROOT } from "./project-root.ts";

/** For the help of commands that work on the database. */
export const OWNER_DATABASE =
  "The database is that of DATABASE_URL, as its owner, or else that of the `npm start` that runs in this checkout.";

/** Written by `npm start` while it runs. */
const OWN_DATABASE = join(PROJECT_ROOT, ".tarsy", "database-url");

/** Opens a connection to the database to work on, as its owner; the caller ends it. Throws an Error that says how to name one. */
export async function connectAsOwner(env: Environment) {
  return connectClient(databaseUrlOf(env));
}

function databaseUrlOf(env: Environment): string {
  const given = env["DATABASE_URL"] ?? "";
  if (given !== "") return given;
  const file = env["DATABASE_URL_FILE"] ?? OWN_DATABASE;
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  throw new Error("no database: start TARSy with `npm start`, or set DATABASE_URL");
}
