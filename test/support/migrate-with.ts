import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** Migrates the database as its owner with the code of a checkout. In versions without `migrate` the api does so at its start. */
export async function migrateWith(checkout: string, ownerUrl: string): Promise<void> {
  const program = join(checkout, "services/migrate/main.ts");
  if (!existsSync(program)) return;
  await promisify(execFile)(process.execPath, [program], {
    cwd: checkout,
    env: { PATH: process.env["PATH"], DATABASE_URL: ownerUrl },
  });
}
