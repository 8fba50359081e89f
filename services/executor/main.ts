import { processRegistry } from "#shared/service/process-registry.ts";
import { AuditLog } from "#shared/access/audit-log.ts";
import { openBus } from "#shared/bus/open-bus.ts";
import { waitForSchema } from "#shared/database/schema/wait-for-schema.ts";
import { checkDatabase, openDatabase } from "#shared/database/connection/open-database.ts";
import { LOOK_UPS } from "#shared/database/connection/statement-limits.ts";
import { Masker } from "#shared/masking/masker.ts";
import { serveHealth } from "#shared/service/health-server.ts";
import { runService } from "#shared/service/run-service.ts";
import { keepBudgets } from "./budget/budget-source.ts";
import { loadExecutorConfig, describeLimits } from "./config.ts";
import { consumeSessions } from "./consume-sessions.ts";
import { createExecutorMetrics } from "./executor-metrics.ts";
import { FEATURES } from "./features/features.ts";
import { gatewayState } from "./llm/gateway-connection.ts";
import { keepCircuits } from "./llm/provider-circuits.ts";
import { openLlmClient } from "./llm/open-llm-client.ts";
import { keepLeases } from "./session-lease.ts";
import { startMetricsAtZero } from "./start-metrics-at-zero.ts";

await runService("executor", loadExecutorConfig, async ({ config, log, signal, resources }) => {
  log.info(describeLimits(config));
  const registry = processRegistry();
  const metrics = createExecutorMetrics(registry);
  startMetricsAtZero(metrics, config);
  const database = {
    url: config.databaseUrl,
    applicationName: config.podId,
    settings: LOOK_UPS,
    log,
    signal,
    health: config.health,
  };
  // A session commits on one connection at a time; the short reads of its agents may wait for a connection.
  const poolSize = config.slots + config.followupSlots + 2;
  const db = resources.use(await openDatabase({ ...database, poolSize }));
  // Lease renewals have their own connection: they must not queue behind the statements that they protect.
  const leaseDb = resources.use(await openDatabase({ ...database, poolSize: 1 }));
  await waitForSchema(db, "executor", log, signal);
  const bus = resources.use(await openBus({ url: config.natsUrl, name: config.podId, log, signal }));
  const llm = resources.adopt(
    openLlmClient({
      address: config.llmGatewayAddress,
      maxMessageBytes: config.maxMessageBytes,
      token: config.llmGatewayToken,
    }),
    (client) => client.close(),
  );
  const masker = resources.use(new Masker({ known: config.knownSecrets }));
  const audit = resources.use(new AuditLog({ db, log, service: "executor" }));
  const circuits = resources.use(keepCircuits({ db, log, gauge: metrics.circuitOpen }));
  const budgets = resources.use(await keepBudgets({ db, log }));
  const leases = resources.use(keepLeases({ db: leaseDb, podId: config.podId, slots: config.slots, log }));
  resources.use(
    await serveHealth({
      ...config.health,
      checks: { postgres: () => checkDatabase(db), nats: () => bus.check() },
      // An executor without a gateway is ready: sessions wait, and tools and Postgres may still be of use to them.
      information: { llm_gateway: () => gatewayState(llm) },
      metrics: registry,
    }),
  );
  const deps = {
    config,
    log,
    audit,
    db,
    bus,
    llm,
    leases,
    circuits,
    budgets,
    metrics,
    masker,
    features: FEATURES,
  };
  const consuming = consumeSessions(deps, signal);
  // Released first: running sessions get their grace period and are released.
  resources.defer(() => consuming);
});
