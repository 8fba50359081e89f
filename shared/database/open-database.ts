import { setTimeout as wait } from "node:timers/promises";
import { types, type Client } from "pg";
import { DataSource, type DataSourceOptions } from "typeorm";
import { cutWhenSilent } from "#shared/database/cut-when-silent.ts";
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
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/logger.ts";

export interface DatabaseOptions {
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /** Connections at most. */
  readonly poolSize: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** How long the server may leave a statement unanswered before its connection is cut; by default 7 s. */
  readonly answerWithinMs?: number;
}

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;
const INT8_OID = 20;

/**
 * A link that went dead without a word must be noticed well within the 15 s after which an executor fences itself: a
 * renewal sent 5 s after the last one fails at 12 s, and another connection still has time for one. A statement that
 * is merely slow has been ended by the server before that.
 */
const STATEMENT_TIMEOUT_MS = 5_000;
const ANSWER_WITHIN_MS = 7_000;
/** Idle connections too: the first probe after 3 s, and the kernel gives up ten unanswered ones later, one a second. */
const KEEP_ALIVE_AFTER_MS = 3_000;

/**
 * Connects to Postgres, retrying with a logged sentence until it answers or `signal` aborts (then it throws the
 * signal's reason). Nothing is migrated here. The caller destroys the data source.
 */
export async function openDatabase(options: DatabaseOptions): Promise<DataSource> {
  const { log, signal } = options;
  for (let delay = FIRST_RETRY_MS; ; delay = Math.min(delay * 2, LAST_RETRY_MS)) {
    signal.throwIfAborted();
    try {
      return await new DataSource(dataSourceOptions(options)).initialize();
    } catch (error) {
      log.warn(`Postgres at ${hostOf(options.url)} cannot be used (${errorMessage(error)}): trying again`);
      await wait(delay * (0.5 + Math.random()), undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/** The same database without a limit on how long a statement may take or wait, for migrations. The caller destroys it. */
export async function openPatiently({ options }: DataSource): Promise<DataSource> {
  if (options.type !== "postgres") throw new TypeError(`not a Postgres data source: ${options.type}`);
  return new DataSource({
    ...options,
    poolSize: 2,
    extra: { keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS, types: { getTypeParser } },
  }).initialize();
}

/** Rejects with a sentence unless the database answers. */
export async function checkDatabase(db: DataSource): Promise<void> {
  await db.query("SELECT 1");
}

function dataSourceOptions(options: DatabaseOptions): DataSourceOptions {
  const { url, applicationName, poolSize, log, answerWithinMs = ANSWER_WITHIN_MS } = options;
  return {
    type: "postgres",
    url,
    applicationName,
    poolSize,
    connectTimeoutMS: 5_000,
    // Without a listener a restart of Postgres would end the process.
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
    migrations: [Initial0000000000001, ToolCallOutcomes0000000000002],
    migrationsTableName: "schema_migrations",
    installExtensions: false,
    extra: {
      // A lost peer or a stuck statement must not hold a session's row for ever.
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: 3_000,
      idle_in_transaction_session_timeout: 10_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      onConnect: (client: Client) => cutWhenSilent(client, answerWithinMs),
      types: { getTypeParser },
    },
  };
}

/** int8 as a number: event ids and token sums stay far below 2^53, and the wire wants JSON numbers. */
function getTypeParser(oid: number, format?: "text" | "binary"): unknown {
  if (oid === INT8_OID && format !== "binary") return Number;
  return types.getTypeParser(oid, format === "binary" ? "binary" : "text");
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "its address";
}
