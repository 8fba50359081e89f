import type { RecordedExecution } from "#shared/cassette/cassette.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import type { Database } from "#shared/database/database.ts";
import { CancelledError } from "#shared/errors.ts";
import type { LeaseKeeper } from "../../../services/executor/session-lease.ts";
import {
  INVESTIGATION,
  POISON,
  type SessionPart,
  type RecordedSession,
} from "../recording/recorded-session.ts";
import type { ReplayState } from "./replay-state.ts";

const CANCEL_SESSION = `
WITH cancelled AS (
  UPDATE alert_sessions SET status = 'cancelling' WHERE session_id = $1 AND status IN ('pending', 'in_progress')
)
UPDATE session_runtime SET cancel_requested_at = now(), not_before = NULL WHERE session_id = $1`;

const CANCEL_FOLLOW_UP = `
WITH asked AS (
  UPDATE follow_ups SET cancel_requested_at = now() WHERE follow_up_id = $2 RETURNING follow_up_id
)
UPDATE session_runtime SET cancelled_follow_ups = ARRAY(SELECT follow_up_id FROM asked), inbox_seq = inbox_seq + 1,
  not_before = NULL
WHERE session_id = $1`;

interface EarlyEndsOptions {
  readonly db: Database;
  readonly recorded: RecordedSession;
  readonly leases: Pick<LeaseKeeper, "find">;
  /** The session is to be given up as after too many failed attempts. */
  readonly onPoison: () => void;
}

/**
 * Ends from outside what was ended from outside in the recording: the session, a follow-up or a sub-agent that was cancelled or
 * whose time was over. That happens once everything is done that was recorded before.
 */
export class EarlyEnds {
  readonly #options: EarlyEndsOptions;
  readonly #done = new Set<string>();
  readonly #endTime = new Map<string, () => void>();

  constructor(options: EarlyEndsOptions) {
    this.#options = options;
  }

  /** Keeps what ends a sub-agent's time. */
  onSubAgent(executionId: string, endItsTime: () => void): void {
    this.#endTime.set(executionId, endItsTime);
  }

  /** Ends what is due. Throws database errors. */
  async endDue(part: SessionPart, state: ReplayState): Promise<void> {
    const { recorded } = this.#options;
    for (const execution of recorded.executionsOf(part)) {
      const { execution_id, status } = execution;
      const end = this.#endTime.get(execution_id);
      if (status !== "timed_out" || end === undefined || !isDone(execution, state)) continue;
      this.#endTime.delete(execution_id);
      end();
    }
    if (this.#done.has(part) || !this.#isDue(part, state)) return;
    if (await this.#end(part, state)) this.#done.add(part);
  }

  #isDue(part: SessionPart, state: ReplayState): boolean {
    const { recorded } = this.#options;
    if (!recorded.endedEarly(part)) return false;
    return recorded.executionsOf(part).every((execution) => {
      const now = state.executions.get(execution.execution_id);
      // An agent that was not begun before the end has nothing that could be waited for.
      if (now === undefined) return isUntouched(execution);
      const isEndedToo = !isTerminal(execution.status) || recorded.endedEarly(part, execution);
      return isDone(execution, state) && (isTerminal(now) || isEndedToo);
    });
  }

  /** True once it is done; false if it must be tried again. */
  async #end(part: SessionPart, state: ReplayState): Promise<boolean> {
    const { db, recorded, leases, onPoison } = this.#options;
    const { session_id: id } = recorded.cassette.session;
    const end = recorded.endOf(part);
    if (part !== INVESTIGATION) {
      if (end?.status !== "cancelled" || !state.followUps.includes(part)) return false;
      await db.query(CANCEL_FOLLOW_UP, [id, part]);
      leases.find(id)?.cancel();
      return true;
    }
    if (end?.status === "cancelled") {
      await db.query(CANCEL_SESSION, [id]);
      leases.find(id)?.cancel();
      return true;
    }
    const lease = leases.find(id);
    if (end?.status === "timed_out" && lease !== undefined) {
      lease.stop(new CancelledError("session_deadline", "session timed out"));
      return true;
    }
    if (end?.error_code === POISON && lease !== undefined) {
      onPoison();
      return true;
    }
    return false;
  }
}

/** Everything that an execution was recorded to do is recorded again. */
export function isDone({ llm_calls, tool_calls }: RecordedExecution, { interactions }: ReplayState): boolean {
  return (
    llm_calls.every(({ interaction_id }) => interactions.has(interaction_id)) &&
    tool_calls.every(({ interaction_id }) => interactions.has(interaction_id))
  );
}

function isUntouched({ llm_calls, tool_calls }: RecordedExecution): boolean {
  return llm_calls.length === 0 && tool_calls.length === 0;
}
