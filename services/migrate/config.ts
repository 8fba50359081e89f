import { envInteger, type Environment } from "#shared/service/environment.ts";
import { secretVariable } from "#shared/service/secret-variable.ts";
import { databaseUrl } from "#shared/service/service-config.ts";

interface MigrateConfig {
  readonly url: string;
  /** The newest migration of the version to go back to; null to bring the schema to this version. */
  readonly undoAfter: number | null;
}

const NONE = -1;
const DIRECT = "DATABASE_DIRECT_URL";

/**
 * Reads MIGRATE_BACK_TO and DATABASE_DIRECT_URL, which leads past a connection pooler, else DATABASE_URL. Throws TerminalError naming the variable that is wrong.
 */
export function readMigrateConfig(env: Environment): MigrateConfig {
  const number = envInteger(env, "MIGRATE_BACK_TO", { fallback: NONE, min: NONE, max: 9_999 });
  const name = secretVariable(env, DIRECT) === "" ? "DATABASE_URL" : DIRECT;
  return { url: databaseUrl(env, name), undoAfter: number === NONE ? null : number };
}
