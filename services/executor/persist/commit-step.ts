import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { SessionEvent, UnstampedPayload } from "#shared/contracts/session-event.ts";
import { numberedEvents } from "#shared/database/append-events.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { cancelledByUser, leaseLost, type CancelledError } from "#shared/errors.ts";
import { postgresSafeValue } from "#shared/postgres-safe-value.ts";
import { foldSession, type SessionState } from "../state/session-state.ts";
import { progressEvent } from "./progress-event.ts";
import type { SessionWriter } from "./session-writer.ts";
import type { StepRecord } from "./step-record.ts";
import { stepStatement } from "./step-statement.ts";
import { tableRows } from "./table-rows.ts";
import { NO_TOKENS, addTokens } from "../state/token-usage.ts";

/** `finish` and `close` are a session's last write; after a cancel the fence lets only `close` through. */
export type CommitKind = "step" | "finish" | "close";

const parseCommitted = compileParser(
  "committed step",
  Type.Object({
    base: Type.Integer(),
    stamp: Type.String(),
    inbox_seq: Type.Integer(),
    ids: Type.Array(Type.Integer()),
  }),
);

/**
 * Commits steps that follow one another as one statement: their rows, their events with the next numbers, and the fence
 * that decides about all of it. Afterwards the session's state in memory has them, and the events go to the publisher.
 *
 * Throws CancelledError `user` or `lease_lost` if the fence refused; then nothing was written and the session is
 * stopped. Rethrows database errors; if the reply was lost, the next owner finds out from the rows.
 */
export async function commitStep(
  session: SessionWriter,
  steps: readonly StepRecord[],
  kind: CommitKind = "step",
): Promise<void> {
  const safe = postgresSafeValue(steps);
  await session.commitMutex(async () => {
    try {
      const payloads = eventsOf(safe, hasProgress(safe) ? await session.memory.state() : undefined);
      const committed = await write(session, safe, payloads, kind);
      if (committed === undefined) throw await refusal(session);
      session.publisher.publish(committed.events);
      await session.memory.fold(
        safe.map(({ rows }) => rows),
        committed.inboxSeq,
      );
    } catch (error) {
      session.memory.drop();
      throw error;
    }
  });
}

/** Only these events need the session's state: a session that cannot be read must still be ended. */
function hasProgress(steps: readonly StepRecord[]): boolean {
  return steps.some(({ events }) => events.some((event) => "progress" in event));
}

/** The events of the steps in their order, each with the state that its step leaves. */
function eventsOf(steps: readonly StepRecord[], before: SessionState | undefined): UnstampedPayload[] {
  let state = before;
  return steps.flatMap(({ rows, events }) => {
    state = state && foldSession(state, rows);
    const executions = state?.executions ?? [];
    return events.map((event) =>
      "progress" in event ? progressEvent(event.progress, { executions }) : event,
    );
  });
}

async function write(
  { db, sessionId, epoch }: SessionWriter,
  steps: readonly StepRecord[],
  payloads: readonly UnstampedPayload[],
  kind: CommitKind,
): Promise<{ readonly events: readonly SessionEvent[]; readonly inboxSeq: number } | undefined> {
  const rows = tableRows(steps.map((step) => step.rows));
  const tokens = steps.reduce((sum, step) => addTokens(sum, step.tokens ?? NO_TOKENS), NO_TOKENS);
  const { sql, parts } = stepStatement(rows);
  const [committed] = await selectRows(db, parseCommitted, sql, [
    sessionId,
    epoch,
    payloads.length,
    kind === "close",
    kind !== "step",
    JSON.stringify(payloads),
    tokens.input,
    tokens.output,
    tokens.thinking,
    tokens.total,
    ...parts.map((part) => JSON.stringify(rows[part])),
  ]);
  if (committed === undefined) return undefined;
  return { events: numberedEvents(sessionId, payloads, committed), inboxSeq: committed.inbox_seq };
}

const parseFence = compileParser(
  "fence row",
  Type.Object({ ours: Type.Boolean(), cancelled: Type.Boolean() }),
);

/** Why the fence refused; the session is stopped for it. */
async function refusal(session: SessionWriter): Promise<CancelledError> {
  const [row] = await selectRows(
    session.db,
    parseFence,
    `SELECT lease_epoch = $2 AND lease_expires_at IS NOT NULL AS ours, cancel_requested_at IS NOT NULL AS cancelled
     FROM session_runtime WHERE session_id = $1`,
    [session.sessionId, session.epoch],
  );
  const reason = row?.ours === true && row.cancelled ? cancelledByUser() : leaseLost();
  session.stop(reason);
  return reason;
}
