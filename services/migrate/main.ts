import { withRemedy } from "#shared/database/explain-database-error.ts";
import { migrate } from "#shared/database/migrate.ts";
import { openDatabase } from "#shared/database/open-database.ts";
import { SERVICE_ROLES } from "#shared/database/service-roles.ts";
import { runTask } from "#shared/service/run-task.ts";
import { undoMigrations } from "#shared/database/undo-migrations.ts";
import { readMigrateConfig } from "./config.ts";

/**
 * Brings the schema and the privileges of the services' roles to this version, and ends. Any number may run at once. With
 * MIGRATE_BACK_TO it undoes the migrations after that one instead.
 */
await runTask("migrate", readMigrateConfig, async ({ config: { url, undoAfter }, log, signal }) => {
  // Waits until the server answers.
  await using db = await openDatabase({
    url,
    applicationName: "tarsy-migrate",
    poolSize: 1,
    log,
    signal,
  });
  if (undoAfter !== null) {
    await undoMigrations(db, undoAfter, log);
    log.info({ newest: undoAfter }, "the schema is that of an earlier version");
    return;
  }
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
