import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { ExecutorDeps } from "./executor-deps.ts";
import { gatewayAddress, untilGatewayConnected } from "./llm/gateway-connection.ts";

/** How long a new session holds its slot while no gateway can be reached, in milliseconds. */
const GATEWAY_WAIT_MS = 10_000;

const parseCandidates = compileParser(
  "sessions to choose from",
  Type.Object({
    /** True if the delivered session has not been started. */
    is_pending: Type.Boolean(),
    /** The oldest session that was put off and is due, or is to be cancelled; null if there is none. */
    released: Type.Union([Uuid, Type.Null()]),
  }),
);

const READ = `
SELECT EXISTS (SELECT 1 FROM alert_sessions WHERE session_id = $1 AND status = 'pending' AND deleted_at IS NULL) AS is_pending,
       (SELECT s.session_id FROM alert_sessions s JOIN session_runtime r USING (session_id)
        WHERE s.status IN ('in_progress', 'cancelling') AND s.deleted_at IS NULL AND r.lease_expires_at IS NULL
          AND (r.not_before <= now() OR s.status = 'cancelling')
        ORDER BY s.created_at LIMIT 1) AS released`;

/**
 * The sessions to claim for a delivered wake-up, in this order, or null if none is to be claimed now. A session that has
 * not been started gives its place to the oldest one that was put off and is due: its wake-up is new, and after an outage
 * it must not queue behind a backlog while its time runs. (The wake-up of a session that was handed over or interrupted
 * returns by itself, before new ones.) A session is not started at all while no gateway can be reached, because then its
 * time would run, too.
 */
export async function chooseSessions(
  { db, llm, log }: ExecutorDeps,
  delivered: string,
  stop: AbortSignal,
): Promise<readonly string[] | null> {
  const [row] = await selectRows(db, parseCandidates, READ, [delivered]);
  if (row?.is_pending !== true) return [delivered];
  if (row.released !== null) return [row.released, delivered];
  const isConnected = await untilGatewayConnected(llm, GATEWAY_WAIT_MS, stop).catch(() => false);
  if (isConnected) return [delivered];
  const gateway = gatewayAddress(llm);
  if (!stop.aborted) {
    log.warn({ session_id: delivered, gateway }, "session not started: no LLM gateway can be reached");
  }
  return null;
}
