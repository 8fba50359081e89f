import { Client, Pool, types, type ClientBase } from "pg";
import { CONNECT_TIMEOUT_MS, ConnectTimeoutClient } from "#shared/database/connect-timeout-client.ts";
import { Database } from "#shared/database/database.ts";
import { enforceResponseTimeout } from "#shared/database/enforce-response-timeout.ts";
import { PreparedStatements } from "#shared/database/prepared-statements.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import { backoff, pause } from "#shared/pause.ts";

export interface DatabaseOptions {
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /** Maximum number of connections. */
  readonly poolSize: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** A connection is closed when the server leaves a statement unanswered for this long; by default 7 s. */
  readonly responseTimeoutMs?: number;
  /** A statement fails as unavailable if no connection of the pool becomes free for this long; by default 30 s. */
  readonly queueTimeoutMs?: number;
}

const RETRIES = { firstMs: 250, lastMs: 5_000 };
const INT8_OID = 20;

/**
 * A dead link must be noticed well within the 15 s after which an executor fences itself: a renewal sent 5 s after the
 * last one fails at 12 s, which leaves time for one on another connection. A statement that is only slow is ended by
 * the server before that.
 */
export const DATABASE_TIMEOUTS = {
  statementMs: 5_000,
  lockMs: 3_000,
  idleInTransactionMs: 10_000,
  responseMs: 7_000,
  connectMs: CONNECT_TIMEOUT_MS,
  /**
   * For a connection from the pool. Far longer than one statement: a full pool is no outage, and requests are served in
   * order of arrival. Bounded, because while the server is unavailable each connection attempt must fail first.
   */
  queueMs: 30_000,
  /** For idle connections: the first probe; after ten unanswered ones, one a second, the connection is closed. */
  keepAliveAfterMs: 3_000,
} as const;

/**
 * Connects to Postgres, retrying with backoff until it answers; each failure is logged. Throws the signal's reason once
 * it aborts. Does not migrate. The caller disposes of the database.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, log, signal } = options;
  const pool = openPool(options);
  const database = new Database({ url, pool, statements: new PreparedStatements(log) });
  try {
    await untilDatabaseAnswers(options, () => checkDatabase(database));
    return database;
  } catch (error) {
    await database[Symbol.asyncDispose]();
    signal.throwIfAborted();
    throw error;
  }
}

/** Calls `connect` until it succeeds, with backoff; each failure is logged. Throws the signal's reason once it aborts. */
export async function untilDatabaseAnswers<T>(
  { url, log, signal }: Pick<DatabaseOptions, "url" | "log" | "signal">,
  connect: () => Promise<T>,
): Promise<T> {
  for (let retry = 1; ; retry++) {
    signal.throwIfAborted();
    try {
      return await connect();
    } catch (error) {
      log.warn(`Postgres at ${hostOf(url)} cannot be used (${errorMessage(error)}): trying again`);
      await pause(backoff(retry, RETRIES), signal);
    }
  }
}

/** Rejects unless the database answers. */
export async function checkDatabase(db: Queryable): Promise<void> {
  await db.query("SELECT 1");
}

function openPool(options: DatabaseOptions): Pool {
  const { url, applicationName, poolSize, log } = options;
  const { queueTimeoutMs = DATABASE_TIMEOUTS.queueMs } = options;
  const pool = new Pool({
    connectionString: url,
    application_name: applicationName,
    max: poolSize,
    // For the wait in the pool's queue; the client has its own limit for connecting.
    connectionTimeoutMillis: queueTimeoutMs,
    ...connectionSettings(options),
  });
  // Without a handler, a restart of Postgres would end the process.
  pool.on("error", (error) => log.warn({ error: errorMessage(error) }, "Postgres connection lost"));
  // The same while a connection is in use; then its statement fails, too.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** The settings of every connection to Postgres that answers requests. */
export function connectionSettings({
  responseTimeoutMs = DATABASE_TIMEOUTS.responseMs,
}: Pick<DatabaseOptions, "responseTimeoutMs">) {
  return {
    // A lost peer or a stuck statement must not hold a session's row lock indefinitely.
    statement_timeout: DATABASE_TIMEOUTS.statementMs,
    lock_timeout: DATABASE_TIMEOUTS.lockMs,
    idle_in_transaction_session_timeout: DATABASE_TIMEOUTS.idleInTransactionMs,
    onConnect: (client: ClientBase) => {
      if (client instanceof Client) enforceResponseTimeout(client, responseTimeoutMs);
    },
    ...connectionBasics,
  };
}

/** The settings of every connection to Postgres. */
export const connectionBasics = {
  keepAlive: true,
  keepAliveInitialDelayMillis: DATABASE_TIMEOUTS.keepAliveAfterMs,
  Client: ConnectTimeoutClient,
  types: { getTypeParser },
} as const;

/** int8 as a number: event ids and token totals stay far below 2^53, and the wire has JSON numbers. */
function getTypeParser(oid: number, format?: "text" | "binary"): unknown {
  if (oid === INT8_OID && format !== "binary") return Number;
  return types.getTypeParser(oid, format === "binary" ? "binary" : "text");
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "its address";
}
