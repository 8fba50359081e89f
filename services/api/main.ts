import { Registry, collectDefaultMetrics } from "prom-client";
import { migrate } from "#shared/database/migrate.ts";
import { checkDatabase, openDatabase } from "#shared/database/open-database.ts";
import { serveHealth } from "#shared/health-server.ts";
import { listen } from "#shared/listen.ts";
import { runService } from "#shared/run-service.ts";
import { createApiMetrics } from "./api-metrics.ts";
import { buildApp } from "./app.ts";
import { closeServer } from "./close-server.ts";
import { loadConfig } from "./config.ts";
import { createHttpServer } from "./http/http-server.ts";
import { openDispatcher } from "./dispatcher.ts";
import { EventStreams } from "./sse/sse-connections.ts";
import { sweepSessions } from "./sweeper/sweep-sessions.ts";

await runService("api", loadConfig, async ({ config, log, signal, resources }) => {
  for (const warning of config.agents.warnings) log.warn({ place: warning.path }, warning.message);
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = createApiMetrics(registry);
  const db = resources.adopt(
    await openDatabase({ url: config.databaseUrl, applicationName: "tarsy-api", poolSize: 10, log, signal }),
    (open) => open.destroy(),
  );
  await migrate(db, log);
  const dispatcher = resources.use(openDispatcher({ config, log, metrics, signal }));
  const streams = resources.use(
    new EventStreams({ maxStreams: config.maxEventStreams, db, dispatcher, log, metrics, signal }),
  );
  const handle = buildApp({ config, log, db, dispatcher, metrics, streams }).callback();
  const server = createHttpServer((request, response) => void handle(request, response));
  resources.defer(() => closeServer(server));
  await listen(server, config.http);
  const sweeping = sweepSessions({ config, log, db, dispatcher, metrics }, signal);
  resources.defer(() => sweeping);
  resources.use(
    await serveHealth({
      ...config.health,
      checks: { postgres: () => checkDatabase(db), nats: () => dispatcher.check() },
      metrics: registry,
    }),
  );
});
