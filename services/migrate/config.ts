import { type Environment, secretVariable } from "#shared/service/environment.ts";
import { databaseUrl } from "#shared/service/service-config.ts";

const DIRECT = "DATABASE_DIRECT_URL";

/**
 * Reads DATABASE_DIRECT_URL, which leads past a connection pooler, else DATABASE_URL. Throws TerminalError naming the variable that is
 * wrong.
 */
export function readMigrateConfig(env: Environment): { readonly url: string } {
  return { url: databaseUrl(env, secretVariable(env, DIRECT) === "" ? "DATABASE_URL" : DIRECT) };
}
