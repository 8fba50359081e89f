import { envInteger, type Environment } from "#shared/service/environment.ts";
import { databaseUrl } from "#shared/service/service-config.ts";

interface MigrateConfig {
  readonly url: string;
  /** The newest migration of the version to go back to; null to bring the schema to this version. */
  readonly undoAfter: number | null;
}

const NONE = -1;

/** Reads DATABASE_URL and MIGRATE_BACK_TO. Throws TerminalError naming the variable that is wrong. */
export function readMigrateConfig(env: Environment): MigrateConfig {
  const number = envInteger(env, "MIGRATE_BACK_TO", { fallback: NONE, min: NONE, max: 9_999 });
  return { url: databaseUrl(env), undoAfter: number === NONE ? null : number };
}
