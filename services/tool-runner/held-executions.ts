import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { HELD_SWEEP_MS, HELD_UNUSED_MS } from "#shared/contracts/durations.ts";
import type { ToolRelease } from "#shared/contracts/tool-call.ts";
import type { Database } from "#shared/database/database.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { McpServers } from "./mcp/mcp-servers.ts";
import type { RunningCalls } from "./running-calls.ts";
import type { SessionCleanups } from "./session-cleanups.ts";

/** Those of the executions whose session no executor runs. */
const UNOWNED = `
SELECT held.execution_id::text AS execution_id FROM unnest($1::uuid[]) AS held(execution_id)
  LEFT JOIN agent_executions e USING (execution_id)
  LEFT JOIN session_runtime r ON r.session_id = e.session_id
WHERE r.lease_expires_at IS NULL OR r.lease_expires_at < clock_timestamp()`;
const parseUnowned = compileParser("unowned execution", Type.Object({ execution_id: Type.String() }));

interface HeldExecutionsOptions {
  readonly db: Database;
  readonly log: Logger;
  readonly servers: Pick<McpServers, "holds" | "unusedExecutions" | "release">;
  readonly running: Pick<RunningCalls, "hasCallOf">;
  readonly cleanups: Pick<SessionCleanups, "ended">;
  /** Milliseconds. */
  readonly sweepEvery?: number;
  readonly unusedFor?: number;
}

/** Ends what this runner holds for executions: when their executor says that they have ended, or when no executor runs their session. */
export class HeldExecutions implements Disposable {
  readonly #options: HeldExecutionsOptions;
  readonly #timer: NodeJS.Timeout;

  constructor(options: HeldExecutionsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#sweep().catch((error: unknown) => this.#warn(error));
    }, options.sweepEvery ?? HELD_SWEEP_MS);
    this.#timer.unref();
  }

  /** True if calls of the execution should come to this runner. */
  isHome(executionId: string): boolean {
    return this.#options.servers.holds(executionId);
  }

  /** Ends the execution's connections. One with a running call goes on: who sent this may have lost the session. */
  release({ execution_id }: Pick<ToolRelease, "execution_id">): void {
    const { servers, running, cleanups } = this.#options;
    if (running.hasCallOf(execution_id)) return;
    void Promise.all([servers.release(execution_id), cleanups.ended(execution_id)]).catch((error: unknown) =>
      this.#warn(error),
    );
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #sweep(): Promise<void> {
    const { db, servers, running, unusedFor = HELD_UNUSED_MS } = this.#options;
    const unused = servers.unusedExecutions(unusedFor);
    if (unused.length === 0) return;
    const unowned = await selectRows(db, parseUnowned, UNOWNED, [unused]);
    await Promise.all(
      unowned
        .filter(({ execution_id }) => !running.hasCallOf(execution_id))
        .map(async ({ execution_id }) => servers.release(execution_id)),
    );
  }

  #warn(error: unknown): void {
    this.#options.log.warn({ error: errorMessage(error) }, "connections of executions not ended");
  }
}
