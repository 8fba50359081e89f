import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

/** Migrates the database as its owner with the code of a checkout. */
export async function migrateWith(checkout: string, ownerUrl: string): Promise<void> {
  await promisify(execFile)(process.execPath, [join(checkout, "services/migrate/main.ts")], {
    cwd: checkout,
    env: { PATH: process.env["PATH"], DATABASE_URL: ownerUrl },
  });
}
