import { isNull } from "#shared/database/connection/statement-limits.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ToolCallRequest } from "#shared/contracts/tool-call.ts";
import { isDatabaseRetryable } from "#shared/database/connection/database-retryable.ts";
import type { Database } from "#shared/database/database.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { errorMessage } from "#shared/errors.ts";
import { jitter, pause } from "#shared/pause.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { McpServers } from "./mcp/mcp-servers.ts";

const SWEEP_MS = 10_000;
const RETRY_MS = 200;
/** Rows taken at a time. */
const PAGE = 16;
/** The number of executions whose row is known to be stored; forgotten ones are stored again, which changes nothing. */
const MAX_REMEMBERED = 10_000;

const REMEMBER = `
INSERT INTO mcp_cleanups (server, execution_id, session_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`;

/** Executions of sessions that have ended, also with the work that followed, or are gone, have ended too, whether or not a message said so. */
const END = `
UPDATE mcp_cleanups c SET ended_at = now(), due_at = now()
WHERE c.ended_at IS NULL AND (c.execution_id = $1::uuid OR NOT EXISTS (
  SELECT FROM alert_sessions s WHERE s.session_id = c.session_id AND ${isNull("s.deleted_at")}
    AND (s.status IN ('pending', 'in_progress', 'cancelling') OR EXISTS (
      SELECT FROM follow_ups f WHERE f.session_id = s.session_id AND f.status IN ('pending', 'active')))))`;

/** A row that is taken is not due again for a while: a runner that dies leaves it to the others. */
const TAKE = `
WITH due AS (
  SELECT server, execution_id FROM mcp_cleanups
  WHERE server = ANY($1::text[]) AND due_at <= now() ORDER BY due_at LIMIT ${PAGE} FOR UPDATE SKIP LOCKED
), taken AS (
  UPDATE mcp_cleanups c SET tries = tries + 1,
    due_at = now() + make_interval(secs => least(3600, 30 * power(2, least(tries, 7))))
  FROM due WHERE c.server = due.server AND c.execution_id = due.execution_id
  RETURNING c.server, c.execution_id, c.ended_at < now() - interval '1 day' AS is_last
)
SELECT server, execution_id, is_last FROM taken`;
const parseTaken = compileParser(
  "taken cleanup",
  Type.Object({ server: Type.String(), execution_id: Type.String(), is_last: Type.Boolean() }),
);

const FORGET = `DELETE FROM mcp_cleanups WHERE server = $1 AND execution_id = $2`;

interface SessionCleanupsOptions {
  readonly db: Database;
  readonly log: Logger;
  readonly servers: Pick<McpServers, "all" | "find">;
}

/**
 * Notifies servers with a `session_cleanup_url` that an execution has ended, until they agree or a day has passed. The
 * servers are stored before the first call, so that any runner can continue when the one that called is gone.
 */
export class SessionCleanups implements AsyncDisposable {
  readonly #options: SessionCleanupsOptions;
  readonly #stored = new Set<string>();
  readonly #stopped = new AbortController();
  readonly #loop: Promise<void>;
  #wake = Promise.withResolvers<void>();

  constructor(options: SessionCleanupsOptions) {
    this.#options = options;
    this.#loop = this.#run();
  }

  /** Stores that a server needs a notice about the execution of a call, before the call is sent. Waits while Postgres is away. */
  async remember(
    server: string,
    { execution_id, session_id }: Pick<ToolCallRequest, "execution_id" | "session_id">,
    signal: AbortSignal,
  ): Promise<void> {
    const { db, servers } = this.#options;
    const key = `${server} ${execution_id}`;
    if (this.#stored.has(key) || servers.find(server)?.hasCleanUp !== true) return;
    for (;;) {
      signal.throwIfAborted();
      try {
        await db.query(REMEMBER, [server, execution_id, session_id]);
        break;
      } catch (error) {
        if (!isDatabaseRetryable(error)) throw error;
      }
      await pause(jitter(RETRY_MS), signal);
    }
    if (this.#stored.size >= MAX_REMEMBERED) this.#stored.clear();
    this.#stored.add(key);
  }

  /** The execution has ended: its servers get the notice soon. */
  async ended(executionId: string): Promise<void> {
    const ids = this.#notified();
    if (ids.length === 0) return;
    for (const id of ids) this.#stored.delete(`${id} ${executionId}`);
    await this.#options.db.query(END, [executionId]);
    this.#wake.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort(new Error("the runner stops"));
    await this.#loop;
  }

  /** The servers that want a notice. */
  #notified(): readonly string[] {
    return this.#options.servers.all.filter(({ hasCleanUp }) => hasCleanUp).map(({ id }) => id);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      this.#wake = Promise.withResolvers<void>();
      const { log } = this.#options;
      await this.#sweep(signal).catch((error: unknown) =>
        log.warn({ error: errorMessage(error) }, "MCP servers not notified of ended executions"),
      );
      const waiting = new AbortController();
      const timer = pause(jitter(SWEEP_MS), AbortSignal.any([signal, waiting.signal])).catch(() => undefined);
      await Promise.race([timer, this.#wake.promise]);
      waiting.abort(new Error("no longer waiting"));
    }
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    const { db, log, servers } = this.#options;
    const ids = this.#notified();
    if (ids.length === 0) return;
    await db.query(END, [null]);
    while (!signal.aborted) {
      const rows = await selectRows(db, parseTaken, TAKE, [ids]);
      await Promise.all(
        rows.map(async ({ server, execution_id, is_last }) => {
          const isDone = (await servers.find(server)?.cleanUp(execution_id)) !== false;
          if (!isDone && !is_last) return;
          if (!isDone) {
            log.warn({ server, execution_id }, "MCP server not notified for a day that an execution ended");
          }
          await db.query(FORGET, [server, execution_id]);
        }),
      );
      if (rows.length < PAGE) return;
    }
  }
}
