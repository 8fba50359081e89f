import { setTimeout as wait } from "node:timers/promises";
import { processRegistry } from "#shared/service/process-registry.ts";
import { AuditLog } from "#shared/access/audit-log.ts";
import { Door } from "#shared/access/door.ts";
import { checkDatabase, openDatabase } from "#shared/database/connection/open-database.ts";
import { Orm } from "#shared/database/connection/orm.ts";
import { waitForSchema } from "#shared/database/schema/wait-for-schema.ts";
import { Masker } from "#shared/masking/masker.ts";
import { serveHealth } from "#shared/service/health-server.ts";
import { listen } from "#shared/service/listen.ts";
import { runService } from "#shared/service/run-service.ts";
import { createApiMetrics } from "./api-metrics.ts";
import { buildApp } from "./app.ts";
import { loadApiConfig } from "./config.ts";
import { openDispatcher } from "./dispatcher.ts";
import { closeHttpServer, createHttpServer } from "./http/http-server.ts";
import { Outbound } from "./notifications/http/outbound.ts";
import { notify } from "./notifications/notify.ts";
import { CriticalPlaces } from "./parking/critical-places.ts";
import { SocketForwarder } from "./page/forward-sockets.ts";
import { ReadReplica } from "./read-replica.ts";
import { SseConnections } from "./sse/sse-connections.ts";
import { cleanUp } from "./sweeper/clean-up.ts";
import { foldBudgets } from "./sweeper/fold-budgets.ts";
import { keepSearchIndex } from "./sweeper/keep-search-index.ts";
import { sweepSessions } from "./sweeper/sweep-sessions.ts";

await runService("api", loadApiConfig, async ({ config, log, signal, resources }) => {
  for (const warning of config.agents.warnings) log.warn({ path: warning.path }, warning.message);
  const registry = processRegistry();
  const metrics = createApiMetrics(registry);
  const database = {
    url: config.databaseUrl,
    log,
    signal,
    health: config.health,
    // A client is better served by a 503 that it can repeat than by a long wait.
    queueTimeoutMs: 5_000,
  };
  const db = resources.use(await openDatabase({ ...database, applicationName: "tarsy-api", poolSize: 8 }));
  await waitForSchema(db, "api", log, signal);
  const orm = resources.use(new Orm({ ...database, applicationName: "tarsy-api-reads", poolSize: 4 }));
  const { databaseReadUrl: url } = config;
  const following = { primary: orm, log, metrics, signal };
  const replica = url === undefined ? undefined : resources.use(new ReadReplica({ url, ...following }));
  const dispatcher = resources.use(openDispatcher({ config, log, metrics, signal }));
  const sse = resources.use(
    new SseConnections({
      maxConnections: config.maxSseConnections,
      db,
      dispatcher,
      log,
      metrics,
      signal,
    }),
  );
  const audit = resources.use(new AuditLog({ db, log, service: "api" }));
  const masker = resources.use(new Masker({ known: config.knownSecrets }));
  const door = await Door.open(config.access, db);
  log.info({ auth_mode: config.access.auth.mode }, "access");
  const places = resources.use(
    new CriticalPlaces({ db, dispatcher, log, metrics, places: config.agents.queue.max_concurrent_sessions }),
  );
  const own = { config, log, db, orm, replica, dispatcher, places, metrics, sse, door, audit, masker };
  const deps = { ...own, outbound: resources.use(new Outbound()) };
  const handle = buildApp(deps).callback();
  const sockets = new SocketForwarder({ notifier: config.notifierAddress, log });
  const server = createHttpServer(
    (request, response) => void handle(request, response),
    { keepAliveMs: config.keepAliveMs },
    sockets,
  );
  resources.defer(() => closeHttpServer(server));
  resources.use(sockets);
  await listen(server, config.http);
  const sweeping = sweepSessions({ agents: config.agents, log, db, dispatcher, places, metrics }, signal);
  resources.defer(() => sweeping);
  const indexing = keepSearchIndex({ log, db, metrics }, signal);
  resources.defer(() => indexing);
  const folding = foldBudgets({ agents: config.agents, log, db, metrics }, signal);
  resources.defer(() => folding);
  const notifying = notify({ db, log, metrics, settings: config.notifications, masker }, signal);
  resources.defer(() => notifying);
  if (config.notifications.slack?.listening !== undefined) {
    const { listenToSlack } = await import("./slack/listen.ts");
    const listening = listenToSlack(deps, signal);
    resources.defer(() => listening);
  }
  const cleaning = cleanUp({ config, log, db, metrics }, signal);
  resources.defer(() => cleaning);
  // After the health port is closed, which tells a proxy, and before the server is.
  resources.defer(() => wait(config.drainMs));
  resources.use(
    await serveHealth({
      ...config.health,
      checks: {
        postgres: async () => void (await Promise.all([checkDatabase(db), orm.check()])),
        nats: () => dispatcher.check(),
      },
      metrics: registry,
    }),
  );
});
