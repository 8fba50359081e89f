import { isNull } from "#shared/database/connection/statement-limits.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { SessionWaker } from "#shared/bus/session-waker.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { FOLLOWUP_LANE } from "#shared/contracts/subjects.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { coerceError, errorMessage } from "#shared/errors.ts";
import type { ExecutorDeps } from "../core/executor-deps.ts";
import { IS_FOLLOWED_UP } from "../session-claim.ts";

const parseWaiting = compileParser("session with open follow-ups", Type.Object({ session_id: Uuid }));
const WAITING = `
SELECT s.session_id FROM alert_sessions s JOIN session_runtime r USING (session_id)
WHERE s.session_id = $1 AND ${isNull("s.deleted_at")} AND ${IS_FOLLOWED_UP}
  AND (r.lease_expires_at IS NULL OR r.lease_expires_at < clock_timestamp())
  AND (r.not_before IS NULL OR r.not_before <= clock_timestamp())`;

/** Wakes executors for follow-ups whose own wake-up the stream did not take. */
interface FollowUpWaker extends AsyncDisposable {
  /**
   * Looks once at a session whose wake-up has been acknowledged, in the background, and wakes an executor if it has open
   * follow-ups and no owner. The api's wake-up for a follow-up that was asked before was refused, because the stream takes one for each session; one that is asked after it is taken.
   * Failures are logged: the api's sweeper wakes an executor later.
   */
  look(sessionId: string): void;
}

/** Disposal waits for the looks that have begun. */
export function openFollowUpWaker({ bus, db, log }: Pick<ExecutorDeps, "bus" | "db" | "log">): FollowUpWaker {
  const waker = new SessionWaker(bus);
  const looks = new Set<Promise<void>>();
  const lookAt = async (sessionId: string) => {
    if ((await selectRows(db, parseWaiting, WAITING, [sessionId])).length === 0) return;
    const [result] = await waker.wake([{ sessionId, lane: FOLLOWUP_LANE }]);
    if (typeof result !== "string") throw coerceError(result);
  };
  return {
    look: (sessionId) => {
      const done = lookAt(sessionId)
        .catch((error: unknown) =>
          log.warn(
            { session_id: sessionId, error: errorMessage(error) },
            "no executor woken for follow-ups: the sweeper does it",
          ),
        )
        .finally(() => looks.delete(done));
      looks.add(done);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(looks);
      waker[Symbol.dispose]();
    },
  };
}
