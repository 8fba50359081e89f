import { withRemedy } from "#shared/database/connection/explain-database-error.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { prepareOwner } from "#shared/database/schema/prepare-owner.ts";
import { prepareServiceRoles } from "#shared/database/schema/prepare-roles.ts";
import { runTask } from "#shared/service/run-task.ts";
import { readInitConfig } from "./config.ts";

/**
 * Creates the owner of the tables and the roles of the services with their passwords, and ends. The only program that has an
 * administrator's rights on the database server. It may be repeated: existing roles get the passwords that are set.
 */
await runTask("database-init", readInitConfig, async ({ config, log, signal }) => {
  const { adminUrl: url, ownerPassword, servicePasswords } = config;
  // Waits until the server answers.
  await using admin = await openDatabase({
    url,
    applicationName: "tarsy-database-init",
    poolSize: 1,
    log,
    signal,
  });
  const prepare = async () => {
    await prepareServiceRoles(admin, servicePasswords);
    await prepareOwner(admin, ownerPassword);
  };
  await prepare().catch((error: unknown) => {
    throw withRemedy(error);
  });
  log.info("the roles are ready");
});
