import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { SWEEP_TEXTS } from "#shared/database/keep-texts.ts";
import { SWEEP_CONFIGS } from "#shared/database/resolved-configs.ts";
import type { Database } from "#shared/database/database.ts";

const PAGE = 1_000;

const parseCount = compileParser("removed rows", Type.Object({ n: Type.Integer() }));

/** SKIP LOCKED: replicas that sweep concurrently take different rows. */
const SOFT_DELETE_SESSIONS = `
WITH old AS (
  SELECT session_id FROM alert_sessions
  WHERE deleted_at IS NULL AND completed_at < now() - make_interval(days => $1)
  ORDER BY completed_at LIMIT ${PAGE} FOR UPDATE SKIP LOCKED
), soft_deleted AS (
  UPDATE alert_sessions SET deleted_at = now() FROM old WHERE alert_sessions.session_id = old.session_id RETURNING 1
)
SELECT count(*)::int AS n FROM soft_deleted`;

const DELETE_KEYS = `
WITH old AS (
  SELECT key FROM idempotency_keys WHERE expires_at <= now()
  ORDER BY expires_at LIMIT ${PAGE} FOR UPDATE SKIP LOCKED
), deleted AS (
  DELETE FROM idempotency_keys USING old WHERE idempotency_keys.key = old.key RETURNING 1
)
SELECT count(*)::int AS n FROM deleted`;

const DELETE_NOTIFICATIONS = `
WITH old AS (
  SELECT key FROM alert_notifications WHERE received_at < now() - interval '30 days'
  ORDER BY received_at LIMIT ${PAGE} FOR UPDATE SKIP LOCKED
), deleted AS (
  DELETE FROM alert_notifications n USING old WHERE n.key = old.key RETURNING 1
)
SELECT count(*)::int AS n FROM deleted`;

const DELETE_PAGE_SESSIONS = `
WITH deleted AS (DELETE FROM page_sessions WHERE expires_at <= now() RETURNING 1)
SELECT count(*)::int AS n FROM deleted`;

/** Of tool-runners that did not remove them when they ended. */
const DELETE_SERVER_STATES = `
WITH old AS (
  SELECT server, runner FROM mcp_server_states WHERE seen_at < now() - interval '1 hour'
  LIMIT ${PAGE} FOR UPDATE SKIP LOCKED
), deleted AS (
  DELETE FROM mcp_server_states s USING old WHERE s.server = old.server AND s.runner = old.runner RETURNING 1
)
SELECT count(*)::int AS n FROM deleted`;

/** No api has been able to send it: e.g. its destination was taken out of the configuration. */
const GIVE_UP_NOTIFICATIONS = `
WITH old AS (
  SELECT id FROM outbox WHERE state = 'pending' AND created_at < now() - interval '7 days'
    AND (lease_expires_at IS NULL OR lease_expires_at < now())
  LIMIT ${PAGE} FOR UPDATE SKIP LOCKED
), given_up AS (
  UPDATE outbox o SET state = 'dead', settled_at = now(), lease_token = NULL, lease_expires_at = NULL,
    last_error = 'not sent within 7 days' || coalesce(': ' || last_error, '')
  FROM old WHERE o.id = old.id RETURNING 1
)
SELECT count(*)::int AS n FROM given_up`;

const DELETE_SETTLED_NOTIFICATIONS = `
WITH old AS (
  SELECT id FROM outbox WHERE state <> 'pending' AND settled_at < now() - interval '30 days'
  ORDER BY settled_at LIMIT ${PAGE} FOR UPDATE SKIP LOCKED
), deleted AS (
  DELETE FROM outbox o USING old WHERE o.id = old.id RETURNING 1
)
SELECT count(*)::int AS n FROM deleted`;

const DELETE_DESTINATIONS = `
WITH unused AS (
  SELECT destination FROM notification_destinations d
  WHERE NOT EXISTS (SELECT FROM outbox o WHERE o.destination = d.destination) LIMIT ${PAGE} FOR UPDATE SKIP LOCKED
), deleted AS (
  DELETE FROM notification_destinations d USING unused WHERE d.destination = unused.destination RETURNING 1
)
SELECT count(*)::int AS n FROM deleted`;

/** Rows of Slack's events, and of channels to which nothing was written for a day. */
const DELETE_SETTLED_EVENTS = `
WITH old AS (
  SELECT id FROM external_events WHERE state <> 'pending' AND settled_at < now() - interval '30 days'
  ORDER BY settled_at LIMIT ${PAGE} FOR UPDATE SKIP LOCKED
), deleted AS (
  DELETE FROM external_events e USING old WHERE e.id = old.id RETURNING 1
), quiet AS (
  DELETE FROM slack_channels WHERE next_at < now() - interval '1 day'
)
SELECT count(*)::int AS n FROM deleted`;

/**
 * Soft-deletes the sessions that ended more than `retentionDays` ago, and deletes the expired idempotency keys and sessions of the page, old notifications of both directions, what lost
 * tool-runners knew of MCP servers, and texts and configurations that no session needs, page by page, until none is left or `signal` aborts.
 */
export async function removeExpired(db: Database, retentionDays: number, signal: AbortSignal): Promise<void> {
  for (const [sql, parameters] of [
    [SOFT_DELETE_SESSIONS, [retentionDays]],
    [DELETE_KEYS, []],
    [DELETE_PAGE_SESSIONS, []],
    [DELETE_NOTIFICATIONS, []],
    [GIVE_UP_NOTIFICATIONS, []],
    [DELETE_SETTLED_NOTIFICATIONS, []],
    [DELETE_DESTINATIONS, []],
    [DELETE_SETTLED_EVENTS, []],
    [DELETE_SERVER_STATES, []],
    [SWEEP_TEXTS, []],
    [SWEEP_CONFIGS, []],
  ] as const) {
    let isLastPage = false;
    while (!isLastPage && !signal.aborted) {
      const [removed] = await selectRows(db, parseCount, sql, parameters);
      isLastPage = (removed?.n ?? 0) < PAGE;
    }
  }
}
