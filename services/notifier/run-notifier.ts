import { Registry, collectDefaultMetrics } from "prom-client";
import { onReconnect } from "#shared/bus/on-reconnect.ts";
import { openBus } from "#shared/bus/open-bus.ts";
import { waitForSchema } from "#shared/database/migrate.ts";
import { checkDatabase, openDatabase } from "#shared/database/open-database.ts";
import { serveHealth } from "#shared/health-server.ts";
import type { ServiceContext } from "#shared/run-service.ts";
import { acceptClients } from "./websocket/accept-clients.ts";
import { AllSessionsFeed } from "./feed/all-sessions-feed.ts";
import { ChunkPacer } from "./feed/chunk-pacer.ts";
import type { NotifierConfig } from "./config.ts";
import { notifierMetrics } from "./notifier-metrics.ts";
import { SessionFeeds } from "./feed/session-feeds.ts";
import { watchLastSeqs } from "./feed/poll-last-seqs.ts";

const POOL_SIZE = 8;

/** Starts the notifier and resolves with its ports once it serves; everything it opened is in `resources`. */
export async function runNotifier(
  service: ServiceContext<NotifierConfig>,
): Promise<{ readonly port: number; readonly healthPort: number }> {
  const { config, log, signal, resources } = service;
  const db = resources.adopt(
    await openDatabase({
      url: config.databaseUrl,
      applicationName: "tarsy-notifier",
      poolSize: POOL_SIZE,
      log,
      signal,
    }),
    async (source) => source.destroy(),
  );
  await waitForSchema(db, log, signal);
  const bus = resources.use(await openBus({ url: config.natsUrl, name: "tarsy-notifier", log, signal }));
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = notifierMetrics(registry);
  const feeds = new SessionFeeds({ bus, db, log, metrics, pacer: new ChunkPacer() });
  metrics.heldText(() => feeds.all().reduce((sum, feed) => sum + feed.heldText, 0));
  const watching = new AbortController();
  const watch = watchLastSeqs({ feeds, db, log, signal: watching.signal });
  resources.defer(async () => {
    watching.abort();
    await watch.done;
  });
  // Events that were sent meanwhile are found by their number, chunks by the hole before the next one.
  onReconnect(bus, () => watch.nudge());
  const allSessions = new AllSessionsFeed({ bus, db, log });
  const clients = resources.use(
    await acceptClients({
      ...config.clients,
      allowedOrigins: config.allowedOrigins,
      limits: config.limits,
      context: { feeds, allSessions, db, log, metrics },
    }),
  );
  const health = resources.use(
    await serveHealth({
      ...config.health,
      metrics: registry,
      checks: {
        postgres: async () => checkDatabase(db),
        nats: async () => bus.check(),
        websocket: () => {
          return clients.listening ? Promise.resolve() : Promise.reject(new Error("not listening"));
        },
      },
    }),
  );
  log.info({ host: config.clients.host, port: clients.port }, "WebSocket clients are accepted");
  return { port: clients.port, healthPort: health.port };
}
