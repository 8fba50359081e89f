import { setImmediate as endOfTurn } from "node:timers/promises";
import type { Database } from "#shared/database/database.ts";
import { isDatabaseSlow } from "#shared/database/connection/database-slow.ts";
import { isDatabaseUnavailable } from "#shared/database/connection/database-unavailable.ts";
import { fromKept } from "#shared/database/resolved-configs.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { coerceError } from "#shared/errors.ts";
import { RequestError } from "../http/request-error.ts";
import { insertOne, parseInserted } from "./insert-one.ts";
import type { NewSession } from "./new-session.ts";

/** Two, so that one is prepared while the other waits for its commit. */
const MAX_STATEMENTS = 2;
const MAX_SESSIONS_PER_STATEMENT = 100;
/** A request that waited longer is refused, as by the pool of connections. */
const QUEUE_TIMEOUT_MS = 5_000;

/**
 * Inserts any number of sessions with their runtime rows and audit entries, and returns the ids: one round trip, one commit. Those whose
 * configuration is missing are left out.
 */
const INSERT_SESSIONS = `
WITH item AS MATERIALIZED (
  SELECT * FROM json_to_recordset($1::json) AS item (session_id uuid, data text, alert_type text, author text,
    owner text, teams text[], runbook text, mcp jsonb, chain_id text, config_hash text, metadata jsonb,
    subject text, via text, peer text, mask_key text, masked json, trace jsonb, slack text,
    notify jsonb, texts text[], lane text)
  WHERE (SELECT true ${fromKept("item.config_hash")})
), session AS (
  INSERT INTO alert_sessions (session_id, alert_data, agent_type, alert_type, author, runbook_url, mcp_selection,
                              chain_id, config_hash, session_metadata, owner_subject, teams,
                              mask_key, trace_context, slack_message_fingerprint, notify, lane)
  SELECT session_id, data, alert_type, alert_type, author, runbook, mcp, chain_id, config_hash,
         metadata, owner, teams, mask_key, trace, slack, notify, lane
  FROM item
  RETURNING session_id
), audited AS (
  INSERT INTO audit_log (service, subject, via, peer, action, session_id, result)
  SELECT 'api', subject, via, peer, 'alert.submit', session_id, 'allowed' FROM item
), masked AS (
  INSERT INTO masked_values (session_id, digest, digits, length, kind)
  SELECT item.session_id, value.digest, value.digits, value.length, value.kind
  FROM item, json_to_recordset(item.masked) AS value (digest text, digits text, length integer, kind text)
  WHERE item.masked IS NOT NULL
), needed AS (
  INSERT INTO needed_texts (session_id, hash)
  SELECT session_id, unnest(texts) FROM item WHERE texts IS NOT NULL
)
INSERT INTO session_runtime (session_id) SELECT session_id FROM session RETURNING session_id`;

interface WaitingInsert {
  readonly session: NewSession;
  readonly since: number;
  readonly done: () => void;
  readonly failed: (error: Error) => void;
}

/**
 * Inserts sessions without an idempotency key. Those that arrive while earlier ones are being committed share the next
 * statement and its commit; a single one, and one whose configuration is missing, has a statement of its own.
 */
export class SessionInserts {
  readonly #db: Database;
  readonly #now: () => number;
  readonly #waiting: WaitingInsert[] = [];
  #running = 0;

  /** `now` is a clock in milliseconds. */
  constructor(db: Database, now: () => number = () => performance.now()) {
    this.#db = db;
    this.#now = now;
  }

  /**
   * Resolves once the session is committed. Rejects with the database's error, and with RequestError 503 if it has waited for
   * more than 5 s when its turn comes; the session is then not stored, unless the connection broke during the commit.
   */
  async insert(session: NewSession): Promise<void> {
    const { promise, resolve: done, reject: failed } = Promise.withResolvers<void>();
    this.#waiting.push({ session, since: this.#now(), done, failed });
    if (this.#running < MAX_STATEMENTS) void this.#run();
    await promise;
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    this.#running += 1;
    try {
      // Requests that arrived in the same turn of the event loop share the first statement.
      await endOfTurn();
      while (this.#waiting.length > 0) await this.#write(this.#take());
    } finally {
      this.#running -= 1;
    }
  }

  #take(): WaitingInsert[] {
    const taken = this.#waiting.splice(0, MAX_SESSIONS_PER_STATEMENT);
    const oldest = this.#now() - QUEUE_TIMEOUT_MS;
    for (const { since, failed } of taken) if (since < oldest) failed(tooLate());
    return taken.filter(({ since }) => since >= oldest);
  }

  /** Settles all of `inserts`. If Postgres refuses the statement, each session has one of its own: only the refused one fails. */
  async #write(inserts: readonly WaitingInsert[]): Promise<void> {
    if (inserts.length === 0) return;
    try {
      const [first] = inserts;
      if (inserts.length === 1 && first !== undefined) {
        await insertOne(this.#db, first.session);
        return first.done();
      }
      const items = `[${inserts.map(({ session }) => item(session)).join(",")}]`;
      const rows = await selectRows(this.#db, parseInserted, INSERT_SESSIONS, [items]);
      const stored = new Set(rows.map(({ session_id }) => session_id));
      const missing = inserts.filter(({ session }) => !stored.has(session.sessionId));
      for (const { session, done } of inserts) if (stored.has(session.sessionId)) done();
      for (const one of missing) await this.#write([one]);
    } catch (thrown) {
      const error = coerceError(thrown);
      const isCommon = isDatabaseUnavailable(error) || isDatabaseSlow(error);
      if (inserts.length > 1 && !isCommon) for (const one of inserts) await this.#write([one]);
      else for (const { failed } of inserts) failed(error);
    }
  }
}

/** A session as JSON text; `mcpSelection`, `notify` and `metadata` are JSON text already. */
function item(session: NewSession): string {
  const {
    sessionId,
    data,
    alertType,
    lane,
    author,
    owner,
    teams,
    runbook,
    slackFingerprint,
    notify,
    mcpSelection,
    chainId,
    config,
    textHashes,
    metadata,
    maskKey,
    maskedValues,
    traceContext,
  } = session;
  const columns = {
    session_id: sessionId,
    data,
    alert_type: alertType,
    lane,
    author,
    owner,
    teams,
    ...session.submitter,
    runbook,
    chain_id: chainId,
    config_hash: config.hash,
    mask_key: maskKey,
    ...(maskedValues.length === 0 ? {} : { masked: maskedValues }),
    ...(traceContext === null ? {} : { trace: traceContext }),
    ...(slackFingerprint === null ? {} : { slack: slackFingerprint }),
    ...(textHashes.length === 0 ? {} : { texts: textHashes }),
  };
  const texts = `${JSON.stringify(columns).slice(0, -1)},"mcp":${mcpSelection ?? "null"},"notify":${notify ?? "null"}`;
  return `${texts},"metadata":${metadata ?? "null"}}`;
}

function tooLate(): RequestError {
  return new RequestError(503, "the database takes too long: try again in a moment", {
    retryAfterSeconds: 1,
  });
}
