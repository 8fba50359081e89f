import { withRemedy } from "#shared/database/connection/explain-database-error.ts";
import { migrate } from "#shared/database/schema/migrate.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { SERVICE_ROLES } from "#shared/database/schema/service-roles.ts";
import { runTask } from "#shared/service/run-task.ts";
import { readMigrateConfig } from "./config.ts";

/** Brings the schema and the privileges of the services' roles to this version, and ends. Any number may run at once. */
await runTask("migrate", readMigrateConfig, async ({ config: { url }, log, signal }) => {
  // Waits until the server answers.
  await using db = await openDatabase({
    url,
    applicationName: "tarsy-migrate",
    poolSize: 1,
    log,
    signal,
  });
  const services = await migrate(db, log).catch((error: unknown) => {
    throw withRemedy(error);
  });
  const missing = Object.entries(SERVICE_ROLES).flatMap(([service, role]) =>
    services.some((one) => one === service) ? [] : [role],
  );
  if (missing.length > 0) {
    log.info({ missing }, "no privileges given to roles that do not exist: their services need another user");
  }
  log.info("the schema is up to date");
});
