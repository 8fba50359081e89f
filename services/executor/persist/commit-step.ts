import { randomUUID } from "node:crypto";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { SessionEvent, UnstampedPayload } from "#shared/contracts/session-event.ts";
import { numberedEvents } from "#shared/database/append-events.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { cancelledByUser, leaseLost, type CancelledError } from "#shared/errors.ts";
import { postgresSafeValue } from "#shared/postgres-safe-value.ts";
import { foldSession, type SessionState } from "../state/session-state.ts";
import { countFollowUps, countCosts } from "./count-committed.ts";
import { progressEvent } from "./progress-event.ts";
import type { SessionWriter } from "./session-writer.ts";
import type { StepRecord } from "./step-record.ts";
import { type StepRows, ofExecution, type OfExecution } from "../state/step-rows.ts";
import { stepCounts } from "./step-counts.ts";
import { stepStatement } from "./step-statement.ts";
import { BudgetVerdict, type BudgetRequest } from "./reserve-budget.ts";
import { tableRows, type TableRows } from "./table-rows.ts";
import { NO_TOKENS, addTokens } from "../state/token-usage.ts";
import type { InteractionKind } from "#shared/contracts/statuses.ts";

/** `finish` and `close` are a session's last write; after a cancel the fence lets only `close` through. */
export type CommitKind = "step" | "finish" | "close";

const parseCommitted = compileParser(
  "committed step",
  Type.Object({
    base: Type.Integer(),
    stamp: Type.String(),
    inbox_seq: Type.Integer(),
    ids: Type.Array(Type.Integer()),
    budget: Type.Optional(BudgetVerdict),
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
  await commit(session, async () => writeSteps(session.db, session, { steps, kind }));
}

/**
 * The same together with a reservation for the call that follows the steps, which may be none; returns the verdict. The steps are
 * committed whatever it is. Steps that change more than their session's rows are committed before: nothing else may be locked
 * after the accounts.
 */
export async function commitReserving(
  session: SessionWriter,
  steps: readonly StepRecord[],
  request: BudgetRequest,
): Promise<BudgetVerdict> {
  if (steps.some(({ rows }) => locksMore(rows))) {
    await commitStep(session, steps);
    return commitReserving(session, [], request);
  }
  const { verdict } = await commit(session, async () =>
    writeSteps(session.db, session, { steps, kind: "step", request }),
  );
  return verdict ?? { verdict: "unlimited" };
}

function locksMore({ session, newMemories = [], memoryChanges = [] }: StepRows): boolean {
  return session !== undefined || newMemories.length > 0 || memoryChanges.length > 0;
}

/** Every writer locks in this order. */
const LOCK_SESSION = "SELECT 1 FROM alert_sessions WHERE session_id = $1 FOR NO KEY UPDATE";
const LOCK_RUNTIME = "SELECT 1 FROM session_runtime WHERE session_id = $1 FOR NO KEY UPDATE";

/**
 * Commits steps that depend on more than the state in memory: `decide` reads the rows under the locks under which the steps
 * are written. A commit whose reply was lost may still be running: it has ended when the locks are granted, or the fence
 * refuses it afterwards.
 */
export async function commitLocked(
  session: SessionWriter,
  decide: (rows: Queryable) => Promise<readonly StepRecord[]>,
  kind: CommitKind = "step",
): Promise<void> {
  const { db, sessionId } = session;
  await commit(session, async () =>
    db.transaction(async (transaction) => {
      await transaction.query(LOCK_SESSION, [sessionId]);
      await transaction.query(LOCK_RUNTIME, [sessionId]);
      return writeSteps(transaction, session, { steps: await decide(transaction), kind });
    }),
  );
}

interface Committed {
  readonly step: string;
  readonly events: readonly SessionEvent[];
  readonly rows: readonly StepRows[];
  readonly inboxSeq: number;
  /** Of the reservation, if there was one. */
  readonly verdict: BudgetVerdict | undefined;
}

/** `write` resolves undefined if the fence refused. */
async function commit(
  session: SessionWriter,
  write: () => Promise<Committed | undefined>,
): Promise<Committed> {
  return session.commitMutex(async () => {
    try {
      const committed = await write();
      if (committed === undefined) throw await refusal(session);
      for (const step of session.lastSteps) if (step !== committed.step) session.lastSteps.delete(step);
      session.publisher.publish(committed.events);
      countCosts(session.metrics, committed.rows);
      countFollowUps(session.metrics, committed.rows);
      if (committed.rows.some(({ followUps = [] }) => followUps.length > 0)) {
        session.onFollowUp?.();
      }
      session.inbox.notice(committed.inboxSeq);
      await session.memory.fold(committed.rows, committed.inboxSeq);
      return committed;
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

/** The step of a follow-up: it changes nothing of the session that has ended, and is no progress of its. */
function ofFollowUp({ rows: { session: _unchanged, ...rows }, events, ...step }: StepRecord): StepRecord {
  return { ...step, rows, events: events.filter((event) => !("progress" in event)) };
}

/** The events of the steps in their order, each with the state that its step leaves. */
function eventsOf(
  sessionId: string,
  steps: readonly StepRecord[],
  before: SessionState | undefined,
): UnstampedPayload[] {
  let state = before;
  return steps.flatMap(({ rows, events }) => {
    state = state && foldSession(state, rows);
    const { executions = [], subAgents = [] } = state ?? {};
    const own = events.map((event) =>
      "progress" in event ? progressEvent(event.progress, { executions, subAgents }) : event,
    );
    return [...own, ...interactionEvents(sessionId, rows)];
  });
}

async function writeSteps(
  db: Queryable,
  { sessionId, epoch, lastSteps, followUpId, memory }: SessionWriter,
  {
    steps: given,
    kind,
    request,
  }: {
    readonly steps: readonly StepRecord[];
    readonly kind: CommitKind;
    readonly request?: BudgetRequest;
  },
): Promise<Committed | undefined> {
  const steps = postgresSafeValue(followUpId === undefined ? given : given.map(ofFollowUp));
  const payloads = eventsOf(sessionId, steps, hasProgress(steps) ? await memory.state() : undefined);
  const stepRows = steps.map((step) => step.rows);
  const { rows, reserving } = withReservation(tableRows(stepRows), request);
  const tokens = steps.reduce((sum, step) => addTokens(sum, step.tokens ?? NO_TOKENS), NO_TOKENS);
  const { sql, parts } = stepStatement(rows, reserving !== undefined);
  const step = randomUUID();
  const before = [...lastSteps];
  lastSteps.add(step);
  const [committed] = await selectRows(db, parseCommitted, sql, [
    sessionId,
    epoch,
    payloads.length,
    kind === "close",
    kind !== "step" && followUpId === undefined,
    JSON.stringify(payloads),
    tokens.input,
    tokens.output,
    tokens.thinking,
    tokens.total,
    followUpId ?? null,
    before,
    step,
    ...stepCounts(stepRows),
    ...parts.map((part) => JSON.stringify(rows[part])),
    ...(reserving === undefined ? [] : [JSON.stringify(reserving)]),
  ]);
  if (committed === undefined) return undefined;
  const events = numberedEvents(sessionId, payloads, committed);
  return { step, events, rows: stepRows, inboxSeq: committed.inbox_seq, verdict: committed.budget };
}

/** The reservation of the next call settles what calls have used, if the same statement makes it. */
function withReservation(
  rows: TableRows,
  request: BudgetRequest | undefined,
): { readonly rows: TableRows; readonly reserving: object | undefined } {
  if (request === undefined) return { rows, reserving: undefined };
  return {
    rows: { ...rows, budgetSettlements: [] },
    reserving: { ...request, settled: rows.budgetSettlements },
  };
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
    `SELECT lease_epoch = $2 AND lease_expires_at IS NOT NULL AS ours,
       cancel_requested_at IS NOT NULL OR coalesce($3::uuid = ANY(cancelled_follow_ups), false) AS cancelled
     FROM session_runtime WHERE session_id = $1`,
    [session.sessionId, session.epoch, session.followUpId ?? null],
  );
  const reason = row?.ours === true && row.cancelled ? cancelledByUser() : leaseLost();
  session.stop(reason);
  return reason;
}

interface InteractionRow extends OfExecution {
  readonly interaction_id: string;
}

/** The `interaction.created` events of the interactions that a step records, model calls first. */
function interactionEvents(
  session_id: string,
  { llmInteractions = [], mcpInteractions = [] }: StepRows,
): UnstampedPayload[] {
  const event =
    (interaction_type: InteractionKind) =>
    (row: InteractionRow): UnstampedPayload => ({
      type: "interaction.created",
      session_id,
      ...ofExecution(row),
      interaction_id: row.interaction_id,
      interaction_type,
    });
  return [...llmInteractions.map(event("llm")), ...mcpInteractions.map(event("mcp"))];
}
