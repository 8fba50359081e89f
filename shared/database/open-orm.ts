import pg, { type ClientBase } from "pg";
import { DataSource, type MigrationInterface } from "typeorm";
import { firstTls } from "#shared/database/connect-client.ts";
import { requireDatabaseAddress } from "#shared/database/database-address.ts";
import { limitSession, NO_LIMITS } from "#shared/database/statement-limits.ts";
import {
  DATABASE_TIMEOUTS,
  connectionBasics,
  connectionSettings,
  untilDatabaseAnswers,
  type DatabaseOptions,
} from "#shared/database/open-database.ts";
import { AgentExecutionEntity } from "#shared/database/entities/agent-execution.ts";
import { AlertSessionEntity } from "#shared/database/entities/alert-session.ts";
import { ChatUserMessageEntity } from "#shared/database/entities/chat-user-message.ts";
import { ChatEntity } from "#shared/database/entities/chat.ts";
import { EventEntity } from "#shared/database/entities/event.ts";
import { FollowUpEntity } from "#shared/database/entities/follow-up.ts";
import { IdempotencyKeyEntity } from "#shared/database/entities/idempotency-key.ts";
import { LlmInteractionEntity } from "#shared/database/entities/llm-interaction.ts";
import { McpInteractionEntity } from "#shared/database/entities/mcp-interaction.ts";
import { MessageEntity } from "#shared/database/entities/message.ts";
import { SessionModelUsageEntity } from "#shared/database/entities/session-model-usage.ts";
import { SessionReviewActivityEntity } from "#shared/database/entities/session-review-activity.ts";
import { SessionScoreEntity } from "#shared/database/entities/session-score.ts";
import { SessionRuntimeEntity } from "#shared/database/entities/session-runtime.ts";
import { StageEntity } from "#shared/database/entities/stage.ts";
import { TimelineEventEntity } from "#shared/database/entities/timeline-event.ts";
import { ToolCallEntity } from "#shared/database/entities/tool-call.ts";
import { ApprovalEntity } from "#shared/database/entities/approval.ts";
import { SessionRunbookEntity } from "#shared/database/entities/session-runbook.ts";
import { NeededTextEntity } from "#shared/database/entities/needed-text.ts";
import { TextEntity } from "#shared/database/entities/text.ts";
import { ToolResultEntity } from "#shared/database/entities/tool-result.ts";
import { MIGRATIONS, MIGRATIONS_TABLE } from "#shared/database/migrations/all-migrations.ts";
import { RediallingPool } from "#shared/database/redialling-pool.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";

/**
 * Opens the entities of the database, for reads of whole rows, with connections of their own; what `openDatabase` says
 * holds here too. The caller destroys the data source.
 */
export async function openOrm(options: DatabaseOptions): Promise<DataSource> {
  const { applicationName, poolSize, log } = options;
  return untilDatabaseAnswers(options, async (address, ssl) =>
    new DataSource({
      ...SOURCE,
      applicationName,
      poolSize,
      connectTimeoutMS: options.queueTimeoutMs ?? DATABASE_TIMEOUTS.queueMs,
      poolErrorHandler: warnOfLostConnection(log),
      entities: ENTITIES,
      extra: connectionSettings(options, address, ssl),
    }).initialize(),
  );
}

/** Opens a database for these migrations: without statement and lock timeouts. The caller destroys the data source. */
export async function openForMigrations(
  url: string,
  log: Logger,
  migrations: readonly (new () => MigrationInterface)[] = MIGRATIONS,
): Promise<DataSource> {
  const address = requireDatabaseAddress(url);
  return firstTls(address, async (ssl) =>
    new DataSource({
      ...SOURCE,
      applicationName: "tarsy-migrations",
      poolSize: 2,
      connectTimeoutMS: DATABASE_TIMEOUTS.queueMs,
      poolErrorHandler: warnOfLostConnection(log),
      migrations: [...migrations],
      migrationsTableName: MIGRATIONS_TABLE,
      extra: {
        ...connectionBasics(address, ssl),
        // A role may have limits for its statements, which a migration may exceed.
        onConnect: (client: ClientBase) => limitSession(client, NO_LIMITS),
      },
    }).initialize(),
  );
}

// TypeORM reads only some parts of a URL, so what the driver needs is in `extra`.
// TypeORM would look for the driver by name at run time, where a bundle has no packages.
const SOURCE = {
  type: "postgres",
  driver: { ...pg, Pool: RediallingPool },
  installExtensions: false,
} as const;

const ENTITIES = [
  AlertSessionEntity,
  SessionModelUsageEntity,
  SessionRuntimeEntity,
  SessionScoreEntity,
  StageEntity,
  AgentExecutionEntity,
  TimelineEventEntity,
  MessageEntity,
  LlmInteractionEntity,
  McpInteractionEntity,
  EventEntity,
  FollowUpEntity,
  ToolCallEntity,
  ToolResultEntity,
  NeededTextEntity,
  SessionRunbookEntity,
  TextEntity,
  ApprovalEntity,
  SessionReviewActivityEntity,
  IdempotencyKeyEntity,
  ChatEntity,
  ChatUserMessageEntity,
];

/** Without a handler, a restart of Postgres would end the process. */
function warnOfLostConnection(log: Logger): (error: unknown) => void {
  return (error) => log.warn({ error: errorMessage(error) }, "Postgres connection lost");
}
