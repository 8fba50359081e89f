import { setTimeout as wait } from "node:timers/promises";
import { Type } from "typebox";
import type { DataSource } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ToolCallOutcome } from "#shared/contracts/tool-call.ts";
import { isDatabaseUnavailable } from "#shared/database/database-unavailable.ts";
import { readToolCall } from "#shared/database/read-tool-call.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/logger.ts";

const RETRY_MS = 500;

const RECORD = `
WITH recorded AS (
  UPDATE tool_calls
  SET state = $2, result = $3, is_error = $4, failure = $5, completed_at = now(), alive_until = NULL
  WHERE call_id = $1 AND state = 'running'
  RETURNING call_id
)
SELECT call_id FROM recorded`;
const parseRecorded = compileParser("recorded tool call", Type.Object({ call_id: Type.String() }));

/**
 * Records how a running call ended and returns what stands in its row now: somebody who took this runner for dead may
 * have settled it. Waits for Postgres as long as it takes; throws the signal's reason once it aborts.
 */
export async function recordOutcome(
  { db, log }: { readonly db: DataSource; readonly log: Logger },
  callId: string,
  outcome: ToolCallOutcome,
  signal: AbortSignal,
): Promise<ToolCallOutcome> {
  const values =
    outcome.kind === "result"
      ? ["completed", outcome.content, outcome.is_error, null]
      : ["failed", outcome.message, null, outcome.kind];
  for (;;) {
    signal.throwIfAborted();
    try {
      const rows = await selectRows(db, parseRecorded, RECORD, [callId, ...values]);
      if (rows.length > 0) return outcome;
      // Also when the first try's answer was lost: the row then holds our own outcome.
      const call = await readToolCall(db, callId);
      return call?.progress.kind === "over" ? call.progress.outcome : outcome;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      log.warn({ call_id: callId, error: errorMessage(error) }, "tool result must wait for Postgres");
      await wait(RETRY_MS * (0.5 + Math.random()), undefined, { signal }).catch(() =>
        signal.throwIfAborted(),
      );
    }
  }
}
