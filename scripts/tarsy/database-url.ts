import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "#shared/service/environment.ts";
import { PROJECT_ROOT } from "./project-root.ts";

/** Written by `npm start` while it runs. */
const OWN_DATABASE = join(PROJECT_ROOT, ".tarsy", "database-url");

/** The database to work on, as its owner. Throws an Error that says how to name one. */
export function databaseUrlOf(env: Environment): string {
  const given = env["DATABASE_URL"] ?? "";
  if (given !== "") return given;
  const file = env["DATABASE_URL_FILE"] ?? OWN_DATABASE;
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  throw new Error("no database: start TARSy with `npm start`, or set DATABASE_URL");
}
