import { Client, types, type ClientBase } from "pg";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { firstTls } from "#shared/database/connection/connect-client.ts";
import { clientClass } from "#shared/database/connection/connect-timeout-client.ts";
import {
  CONNECT_TIMEOUT_MS,
  requireDatabaseAddress,
  type DatabaseAddress,
} from "#shared/database/connection/database-address.ts";
import type { Tls } from "#shared/database/connection/database-tls.ts";
import { Database } from "#shared/database/database.ts";
import { enforceResponseTimeout } from "#shared/database/connection/enforce-response-timeout.ts";
import { explainDatabaseError } from "#shared/database/connection/explain-database-error.ts";
import { PreparedStatements } from "#shared/database/connection/prepared-statements.ts";
import { RediallingPool } from "#shared/database/connection/redialling-pool.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import {
  limitSession,
  STATEMENT_LIMITS,
  type SessionSettings,
} from "#shared/database/connection/statement-limits.ts";
import { errorMessage } from "#shared/errors.ts";
import { serveStarting } from "#shared/service/health-server.ts";
import { parseExactJson } from "#shared/exact-json.ts";
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
  /** Where `/readyz` says why the database cannot be used, until it can. */
  readonly health?: { readonly host: string; readonly port: number };
  /** Of its sessions; by default the limits of statements alone. */
  readonly settings?: SessionSettings;
  /** A connection is closed when the server leaves a statement unanswered for this long; by default 7 s. */
  readonly responseTimeoutMs?: number;
  /** A statement fails as unavailable if no connection of the pool becomes free for this long; by default 30 s. */
  readonly queueTimeoutMs?: number;
}

/** The cause and the remedy in one sentence; the code is that of the error behind it. */
class DatabaseRefusal extends Error {
  readonly code: string | undefined;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
  }
}

const RETRIES = { firstMs: 250, lastMs: 5_000 };
const INT8_OID = 20;
/** json and jsonb. */
const JSON_OIDS = new Set([114, 3_802]);

/**
 * A dead link must be noticed well within the 15 s after which an executor fences itself: a renewal sent 5 s after the
 * last one fails at 12 s, which leaves time for one on another connection. A statement that is only slow is ended by
 * the server before that.
 */
export const DATABASE_TIMEOUTS = {
  responseMs: 7_000,
  connectMs: CONNECT_TIMEOUT_MS,
  /**
   * For a connection from the pool. Far longer than one statement: a full pool is no outage, and requests are served in
   * order of arrival. Bounded, because while the server is unavailable each connection attempt must fail first.
   */
  queueMs: 30_000,
  /** For idle connections: the first probe; after ten unanswered ones, one a second, the connection is closed. */
  keepAliveAfterMs: 3_000,
  /** Longer than the pauses of work that repeats: a new connection costs Postgres a process, and plans of all its statements. */
  idleMs: 30_000,
} as const;

/**
 * Connects to Postgres, retrying with backoff until it answers; what fails is logged with its remedy. Throws TerminalError for a URL
 * that cannot be used, and the signal's reason once it aborts. Does not migrate. The caller disposes of the database.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  return untilDatabaseAnswers(options, async (address, ssl) => {
    const pool = openPool(options, address, ssl);
    const database = new Database({
      url: options.url,
      pool,
      statements: new PreparedStatements(options.log),
    });
    try {
      await checkDatabase(database);
      return database;
    } catch (error) {
      await database[Symbol.asyncDispose]();
      throw error;
    }
  });
}

/** The same reason is said again after this time, so that the end of a log has it. */
const LOG_EVERY_MS = 30_000;

/**
 * Calls `connect` until it succeeds, with backoff, with the settings of TLS that the URL means. Why it fails is logged at once, and again
 * every 30 s, and in `/readyz`. Throws the signal's reason once it aborts.
 */
export async function untilDatabaseAnswers<T>(
  { url, log, signal, health }: Pick<DatabaseOptions, "url" | "log" | "signal" | "health">,
  connect: (address: DatabaseAddress, ssl: Tls) => Promise<T>,
): Promise<T> {
  const address = requireDatabaseAddress(url);
  let logged: { readonly reason: string; readonly at: number } | undefined;
  await using starting = new AsyncDisposableStack();
  for (let retry = 1; ; retry++) {
    signal.throwIfAborted();
    try {
      return await firstTls(address, async (ssl) => connect(address, ssl));
    } catch (error) {
      const reason = explainDatabaseError(error);
      if (logged === undefined && health !== undefined) {
        starting.use(await serveStarting(health, () => ({ postgres: logged?.reason ?? "" })));
      }
      if (logged?.reason !== reason || performance.now() - logged.at >= LOG_EVERY_MS) {
        logged = { reason, at: performance.now() };
        log.warn(`Postgres at ${address.place} cannot be used (${reason}): trying again`);
      }
      await pause(backoff(retry, RETRIES), signal);
    }
  }
}

const parseState = compileParser(
  "state of the server",
  Type.Object({ read_only: Type.Boolean(), encoding: Type.String() }),
);
const STATE = `
SELECT current_setting('transaction_read_only')::boolean AS read_only, current_setting('server_encoding') AS encoding`;

/** Rejects unless the database answers and can store what TARSy writes; the message names cause and remedy. */
export async function checkDatabase(db: Queryable): Promise<void> {
  const [state] = await selectRows(db, parseState, STATE, []).catch((error: unknown) => {
    throw new DatabaseRefusal(explainDatabaseError(error), error);
  });
  if (state?.read_only === true) {
    throw new DatabaseRefusal("the server is a standby, or read-only: the URL must lead to the primary");
  }
  if (state?.encoding !== "UTF8") {
    throw new DatabaseRefusal(
      `the database has the encoding ${state?.encoding}, which does not hold every text: create one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
    );
  }
}

function openPool(options: DatabaseOptions, address: DatabaseAddress, ssl: Tls): RediallingPool {
  const { applicationName, poolSize, log } = options;
  const { queueTimeoutMs = DATABASE_TIMEOUTS.queueMs } = options;
  const pool = new RediallingPool({
    idleTimeoutMillis: DATABASE_TIMEOUTS.idleMs,
    application_name: applicationName,
    max: poolSize,
    // For the wait in the pool's queue; the client has its own limit for connecting.
    connectionTimeoutMillis: queueTimeoutMs,
    ...connectionSettings(options, address, ssl),
  });
  // Without a handler, a restart of Postgres would end the process.
  pool.on("error", (error) => log.warn({ error: errorMessage(error) }, "Postgres connection lost"));
  // The same while a connection is in use; then its statement fails, too.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** The settings of every connection to Postgres that answers requests. */
export function connectionSettings(
  {
    responseTimeoutMs = DATABASE_TIMEOUTS.responseMs,
    settings = STATEMENT_LIMITS,
  }: Pick<DatabaseOptions, "responseTimeoutMs" | "settings">,
  address: DatabaseAddress,
  ssl: Tls,
) {
  return {
    onConnect: async (client: ClientBase) => {
      if (client instanceof Client) enforceResponseTimeout(client, responseTimeoutMs);
      await limitSession(client, settings);
    },
    ...connectionBasics(address, ssl),
  };
}

/** The settings of every connection to Postgres. None is a parameter of the session: a pooler refuses those that it does not know. */
export function connectionBasics(address: DatabaseAddress, ssl: Tls) {
  return {
    keepAlive: true,
    keepAliveInitialDelayMillis: DATABASE_TIMEOUTS.keepAliveAfterMs,
    Client: clientClass(address),
    types: { getTypeParser },
    ...address.client,
    ssl,
  };
}

/** int8 as a number: event ids and token totals stay far below 2^53, and the wire has JSON numbers. JSON with all its digits. */
function getTypeParser(oid: number, format?: "text" | "binary"): unknown {
  if (oid === INT8_OID && format !== "binary") return Number;
  if (JSON_OIDS.has(oid) && format !== "binary") return parseExactJson;
  return types.getTypeParser(oid, format === "binary" ? "binary" : "text");
}
