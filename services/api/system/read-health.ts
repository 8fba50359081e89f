import { isoText } from "#shared/database/iso-text.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";
import { checkDatabase } from "#shared/database/connection/open-database.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { errorMessage } from "#shared/errors.ts";
import packageJson from "../../../package.json" with { type: "json" };
import type { ApiDeps } from "../api-deps.ts";
import { diskProbe } from "./disk-probe.ts";
import type { Database } from "#shared/database/database.ts";

type Health = "healthy" | "degraded" | "unhealthy";

const PING_TIMEOUT_MS = 5_000;

const parseCounts = compileParser(
  "health counts",
  Type.Object({
    active_sessions: Type.Integer(),
    queue_depth: Type.Integer(),
    queue_depth_by_lane: Type.Object({
      critical: Type.Integer(),
      normal: Type.Integer(),
      low: Type.Integer(),
    }),
    orphaned_sessions: Type.Integer(),
  }),
);
const parseWorker = compileParser(
  "health worker",
  Type.Object({ id: Type.String(), active_sessions: Type.Integer(), last_activity: Type.String() }),
);

const COUNTS = `
SELECT count(*) FILTER (WHERE s.status <> 'pending' AND r.lease_expires_at > now())::int AS active_sessions,
       count(*) FILTER (WHERE s.status = 'pending')::int AS queue_depth,
       json_build_object(${SESSION_LANES.map(
         (lane) => `'${lane}', count(*) FILTER (WHERE s.status = 'pending' AND s.lane = '${lane}')`,
       ).join(", ")}) AS queue_depth_by_lane,
       count(*) FILTER (WHERE s.status <> 'pending' AND r.lease_expires_at <= now())::int AS orphaned_sessions
FROM alert_sessions s JOIN session_runtime r USING (session_id)
WHERE s.status IN ('pending', 'in_progress', 'cancelling') AND s.deleted_at IS NULL`;

const WORKERS = `
SELECT r.lease_owner AS id, count(*)::int AS active_sessions, 
       ${isoText("max(r.last_interaction_at)")} AS last_activity
FROM alert_sessions s JOIN session_runtime r USING (session_id)
WHERE s.status IN ('in_progress', 'cancelling') AND r.lease_expires_at > now() AND r.lease_owner IS NOT NULL
GROUP BY r.lease_owner ORDER BY r.lease_owner LIMIT 100`;

/**
 * Returns what reads the state of each dependency and of the worker pool: `unhealthy` when alerts are refused because the database does
 * not answer or its disk is full, `degraded` when they are accepted and NATS or its streams are not as they should be.
 */
export function healthReader({ config, db, orm, dispatcher }: ApiDeps) {
  const { version } = packageJson;
  const { counts, queue } = config.agents;
  const checkDisk = diskProbe(db);
  return async () => {
    const [database, nats] = await Promise.all([
      databaseState({ db, orm }, checkDisk),
      stateOf(() => dispatcher.check()),
    ]);
    const isHealthy = database.status === "healthy";
    const isWhole = nats.status === "healthy" && dispatcher.queueState.status === "healthy";
    const status: Health = isHealthy ? (isWhole ? "healthy" : "degraded") : "unhealthy";
    return {
      status,
      version,
      checks: { database: checkOf(database), nats: checkOf(nats), queue: dispatcher.queueState },
      auth_mode: config.access.auth.mode,
      database,
      nats,
      configuration: {
        agents: counts.agents,
        chains: counts.chains,
        mcp_servers: counts.mcpServers,
        llm_providers: counts.llmProviders,
      },
      ...(isHealthy ? { worker_pool: await workerPool(db, queue.max_concurrent_sessions) } : {}),
    };
  };
}

async function databaseState({ db, orm }: Pick<ApiDeps, "db" | "orm">, checkDisk: () => Promise<void>) {
  const { status, response_time_ms, error } = await stateOf(async () => {
    // Both pools that requests use.
    await Promise.all([checkDatabase(db), orm.check()]);
    await checkDisk();
  });
  const { open, idle, waiting, max } = db.load;
  return {
    status,
    response_time_ms,
    ...(error === undefined ? {} : { error }),
    open_connections: open,
    in_use: open - idle,
    idle,
    wait_count: waiting,
    max_open_conns: max,
  };
}

/** A dependency's state in the contract's words. */
function checkOf({ status, error }: { readonly status: Health; readonly error?: string }) {
  return { status, ...(error === undefined ? {} : { message: error }) };
}

/** Computed from leases and rows, so that every replica of the api reports the same. */
async function workerPool(db: Database, maxConcurrent: number) {
  const [counts] = await selectRows(db, parseCounts, COUNTS, []);
  if (counts === undefined) throw new Error("a count over all sessions has no row");
  const workers = await selectRows(db, parseWorker, WORKERS, []);
  return {
    is_healthy: counts.active_sessions <= maxConcurrent,
    db_reachable: true,
    max_concurrent: maxConcurrent,
    ...counts,
    // As the contract counts them, a worker is a place for one session; these are the places of all executors together.
    active_workers: counts.active_sessions,
    total_workers: maxConcurrent,
    worker_stats: workers.map((worker) => ({ ...worker, status: "working" as const })),
  };
}

async function stateOf(ping: () => Promise<unknown>) {
  const startedAt = performance.now();
  const timeout = AbortSignal.timeout(PING_TIMEOUT_MS);
  const elapsed = () => Math.round(performance.now() - startedAt);
  try {
    await Promise.race([
      ping(),
      new Promise((_resolve, reject) => {
        timeout.addEventListener("abort", () =>
          reject(new Error(`no answer within ${PING_TIMEOUT_MS / 1_000} s`)),
        );
      }),
    ]);
    return { status: "healthy" as const, response_time_ms: elapsed() };
  } catch (error) {
    return { status: "unhealthy" as const, response_time_ms: elapsed(), error: errorMessage(error) };
  }
}
