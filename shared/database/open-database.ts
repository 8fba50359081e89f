import { types, type Client } from "pg";
import { DataSource, type DataSourceOptions } from "typeorm";
import { CONNECT_TIMEOUT_MS, ConnectTimeoutClient } from "#shared/database/connect-timeout-client.ts";
import { enforceResponseTimeout } from "#shared/database/enforce-response-timeout.ts";
import { AgentExecutionEntity } from "#shared/database/entities/agent-execution.ts";
import { AlertSessionEntity } from "#shared/database/entities/alert-session.ts";
import { ChatUserMessageEntity } from "#shared/database/entities/chat-user-message.ts";
import { ChatEntity } from "#shared/database/entities/chat.ts";
import { EventEntity } from "#shared/database/entities/event.ts";
import { IdempotencyKeyEntity } from "#shared/database/entities/idempotency-key.ts";
import { LlmInteractionEntity } from "#shared/database/entities/llm-interaction.ts";
import { McpInteractionEntity } from "#shared/database/entities/mcp-interaction.ts";
import { MessageEntity } from "#shared/database/entities/message.ts";
import { SessionRuntimeEntity } from "#shared/database/entities/session-runtime.ts";
import { StageEntity } from "#shared/database/entities/stage.ts";
import { TimelineEventEntity } from "#shared/database/entities/timeline-event.ts";
import { ToolCallEntity } from "#shared/database/entities/tool-call.ts";
import { Initial0000000000001 } from "#shared/database/migrations/0001-initial.ts";
import { ToolCallOutcomes0000000000002 } from "#shared/database/migrations/0002-tool-call-outcomes.ts";
import { Waiting0000000000003 } from "#shared/database/migrations/0003-waiting.ts";
import { Purge0000000000004 } from "#shared/database/migrations/0004-purge.ts";
import { SchemaSupport0000000000005 } from "#shared/database/migrations/0005-schema-support.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import { backoff, pause } from "#shared/pause.ts";

interface DatabaseOptions {
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
 * it aborts. Does not migrate. The caller destroys the data source.
 */
export async function openDatabase(options: DatabaseOptions): Promise<DataSource> {
  const { log, signal } = options;
  for (let retry = 1; ; retry++) {
    signal.throwIfAborted();
    try {
      return await new DataSource(dataSourceOptions(options)).initialize();
    } catch (error) {
      log.warn(`Postgres at ${hostOf(options.url)} cannot be used (${errorMessage(error)}): trying again`);
      await pause(backoff(retry, RETRIES), signal);
    }
  }
}

/** Opens the same database without statement and lock timeouts, for migrations. The caller destroys the data source. */
export async function openWithoutTimeouts({ options }: DataSource): Promise<DataSource> {
  if (options.type !== "postgres") throw new TypeError(`not a Postgres data source: ${options.type}`);
  return new DataSource({
    ...options,
    poolSize: 2,
    extra: {
      Client: ConnectTimeoutClient,
      keepAlive: true,
      keepAliveInitialDelayMillis: DATABASE_TIMEOUTS.keepAliveAfterMs,
      types: { getTypeParser },
    },
  }).initialize();
}

/** Rejects unless the database answers. */
export async function checkDatabase(db: DataSource): Promise<void> {
  await db.query("SELECT 1");
}

function dataSourceOptions(options: DatabaseOptions): DataSourceOptions {
  const { url, applicationName, poolSize, log } = options;
  const { responseTimeoutMs = DATABASE_TIMEOUTS.responseMs, queueTimeoutMs = DATABASE_TIMEOUTS.queueMs } =
    options;
  return {
    type: "postgres",
    url,
    applicationName,
    poolSize,
    // For the wait in the pool's queue; the client has its own limit for connecting.
    connectTimeoutMS: queueTimeoutMs,
    // Without a handler, a restart of Postgres would end the process.
    poolErrorHandler: (error: unknown) =>
      log.warn({ error: errorMessage(error) }, "Postgres connection lost"),
    entities: [
      AlertSessionEntity,
      SessionRuntimeEntity,
      StageEntity,
      AgentExecutionEntity,
      TimelineEventEntity,
      MessageEntity,
      LlmInteractionEntity,
      McpInteractionEntity,
      EventEntity,
      ToolCallEntity,
      IdempotencyKeyEntity,
      ChatEntity,
      ChatUserMessageEntity,
    ],
    migrations: [
      Initial0000000000001,
      ToolCallOutcomes0000000000002,
      Waiting0000000000003,
      Purge0000000000004,
      SchemaSupport0000000000005,
    ],
    migrationsTableName: "schema_migrations",
    installExtensions: false,
    extra: {
      // A lost peer or a stuck statement must not hold a session's row lock indefinitely.
      statement_timeout: DATABASE_TIMEOUTS.statementMs,
      lock_timeout: DATABASE_TIMEOUTS.lockMs,
      idle_in_transaction_session_timeout: 10_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: DATABASE_TIMEOUTS.keepAliveAfterMs,
      Client: ConnectTimeoutClient,
      onConnect: (client: Client) => enforceResponseTimeout(client, responseTimeoutMs),
      types: { getTypeParser },
    },
  };
}

/** int8 as a number: event ids and token totals stay far below 2^53, and the wire has JSON numbers. */
function getTypeParser(oid: number, format?: "text" | "binary"): unknown {
  if (oid === INT8_OID && format !== "binary") return Number;
  return types.getTypeParser(oid, format === "binary" ? "binary" : "text");
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "its address";
}
