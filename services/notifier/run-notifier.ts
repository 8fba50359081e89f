import { processRegistry } from "#shared/service/process-registry.ts";
import { AuditLog } from "#shared/access/audit-log.ts";
import { Door } from "#shared/access/door.ts";
import { openBus } from "#shared/bus/open-bus.ts";
import { waitForSchema } from "#shared/database/schema/wait-for-schema.ts";
import { checkDatabase, openDatabase } from "#shared/database/connection/open-database.ts";
import { serveHealth } from "#shared/service/health-server.ts";
import type { ServiceContext } from "#shared/service/run-service.ts";
import type { NotifierConfig } from "./config.ts";
import { SessionPlans } from "./dialect/session-plans.ts";
import { SessionViews } from "./dialect/session-views.ts";
import { TranslatedSessions } from "./dialect/translated-sessions.ts";
import { AllSessionsFeed } from "./feed/all-sessions-feed.ts";
import { ChunkPacer } from "./feed/chunk-pacer.ts";
import { DatabaseReads } from "./feed/database-reads.ts";
import { FrameMemory } from "./feed/frame-memory.ts";
import { pollLastSeqs } from "./feed/poll-last-seqs.ts";
import { SessionFeeds } from "./feed/session-feeds.ts";
import { notifierMetrics } from "./notifier-metrics.ts";
import { VisibleSessions } from "./subscriptions/visible-sessions.ts";
import { acceptClients } from "./websocket/accept-clients.ts";

/** Connections beside those for reads: one for the poll of last event numbers, one for the readiness check. */
const OTHER_CONNECTIONS = 2;

/** Starts the notifier and resolves with its ports once it serves. Everything it opens is added to `resources`. */
export async function runNotifier(
  service: ServiceContext<NotifierConfig>,
): Promise<{ readonly port: number; readonly healthPort: number }> {
  const { config, log, signal, resources } = service;
  const db = resources.use(
    await openDatabase({
      url: config.databaseUrl,
      applicationName: "tarsy-notifier",
      poolSize: config.limits.concurrentReads + OTHER_CONNECTIONS,
      log,
      signal,
      health: config.health,
    }),
  );
  await waitForSchema(db, "notifier", log, signal);
  const bus = resources.use(await openBus({ url: config.natsUrl, name: "tarsy-notifier", log, signal }));
  const registry = processRegistry();
  const metrics = notifierMetrics(registry);
  const { limits } = config;
  const reads = new DatabaseReads({
    db,
    log,
    metrics,
    concurrency: limits.concurrentReads,
    maxWaiting: limits.waitingReads,
  });
  const memory = new FrameMemory(limits.keptBytes);
  const stored = { reads, memory, recentLimits: limits };
  const { slowReaderMs } = limits;
  const feeds = new SessionFeeds({ ...stored, bus, log, metrics, pacer: new ChunkPacer(), slowReaderMs });
  metrics.waitingReads(() => reads.waiting);
  metrics.keptBytes(() => memory.bytes);
  metrics.bufferedText(() => feeds.all().reduce((sum, feed) => sum + feed.bufferedText, 0));
  const polling = new AbortController();
  const poll = pollLastSeqs({ feeds, db, log, signal: polling.signal });
  resources.defer(async () => {
    polling.abort();
    await poll.done;
  });
  // Finds events published while disconnected. Missed chunks show as a gap before the next chunk.
  bus.onReconnect(() => poll.trigger());
  const allSessions = new AllSessionsFeed({ bus, reads, log });
  const plans = new SessionPlans(reads);
  const views = new SessionViews(reads, plans);
  const translatedSessions = new TranslatedSessions({ allSessions, plans, log });
  const door = await Door.open(config.access, db);
  const audit = resources.use(new AuditLog({ db, log, service: "notifier" }));
  const visible = new VisibleSessions(reads);
  log.info({ auth_mode: config.access.auth.mode }, "access");
  const clients = resources.use(
    await acceptClients({
      ...config.clients,
      limits,
      context: { ...stored, feeds, views, allSessions, translatedSessions, visible, door, log, metrics },
      db,
      audit,
    }),
  );
  const health = resources.use(
    await serveHealth({
      ...config.health,
      metrics: registry,
      checks: {
        postgres: oneAtATime(async () => checkDatabase(db)),
        nats: async () => bus.check(),
        websocket: () => {
          return clients.listening ? Promise.resolve() : Promise.reject(new Error("not listening"));
        },
      },
    }),
  );
  log.info({ host: config.clients.host, port: clients.port }, "accepting WebSocket clients");
  return { port: clients.port, healthPort: health.port };
}

/** Calls made while `check` runs get its result: however many ask, it takes one connection. */
function oneAtATime(check: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return async () => {
    running ??= check().finally(() => (running = undefined));
    return running;
  };
}
