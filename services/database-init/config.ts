import type { ServicePasswords } from "#shared/database/schema/prepare-roles.ts";
import { envRequired, type Environment } from "#shared/service/environment.ts";
import { databaseUrl } from "#shared/service/service-config.ts";

interface InitConfig {
  /** TARSy's database as a superuser, or as a role that may create roles and owns the database. */
  readonly adminUrl: string;
  readonly ownerPassword: string;
  readonly servicePasswords: ServicePasswords;
}

/** Reads DATABASE_ADMIN_URL and the passwords; all are required. Throws TerminalError naming the first that is not set. */
export function readInitConfig(env: Environment): InitConfig {
  const password = (name: string) => envRequired(env, name, "deploy/make-env.sh writes one");
  return {
    adminUrl: databaseUrl(env, "DATABASE_ADMIN_URL"),
    ownerPassword: password("POSTGRES_OWNER_PASSWORD"),
    servicePasswords: {
      api: password("POSTGRES_API_PASSWORD"),
      executor: password("POSTGRES_EXECUTOR_PASSWORD"),
      "tool-runner": password("POSTGRES_TOOL_RUNNER_PASSWORD"),
      notifier: password("POSTGRES_NOTIFIER_PASSWORD"),
    },
  };
}
