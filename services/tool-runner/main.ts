import { Registry, collectDefaultMetrics } from "prom-client";
import { AuditLog } from "#shared/access/audit-log.ts";
import { openBus } from "#shared/bus/open-bus.ts";
import { waitForSchema } from "#shared/database/wait-for-schema.ts";
import { checkDatabase, openDatabase } from "#shared/database/open-database.ts";
import { serveHealth } from "#shared/service/health-server.ts";
import { runService } from "#shared/service/run-service.ts";
import { loadToolRunnerConfig } from "./config.ts";
import { RunningCalls } from "./running-calls.ts";
import { serveTools } from "./serve-tools.ts";

/** Far above any expected load: each agent makes one call at a time, and the number of running sessions is limited. */
const MAX_RUNNING = 200;
const NAME = "tarsy-tool-runner";

await runService("tool-runner", loadToolRunnerConfig, async ({ config, log, signal, resources }) => {
  for (const warning of config.warnings) log.warn(warning);
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const db = resources.use(
    await openDatabase({ url: config.databaseUrl, applicationName: NAME, poolSize: 10, log, signal }),
  );
  await waitForSchema(db, "tool-runner", log, signal);
  const bus = resources.use(await openBus({ url: config.natsUrl, name: NAME, log, signal }));
  const audit = resources.use(new AuditLog({ db, log, service: "tool-runner" }));
  const running = new RunningCalls({
    db,
    audit,
    log,
    maxRunning: MAX_RUNNING,
    stopGraceMs: config.stopGraceMs,
  });
  resources.use(await serveTools({ bus, db, audit, log, tools: config.tools, running }));
  resources.use(
    await serveHealth({
      ...config.health,
      checks: { postgres: () => checkDatabase(db), nats: () => bus.check() },
      metrics: registry,
    }),
  );
  log.info({ tools: config.tools.size }, "tools loaded");
});
