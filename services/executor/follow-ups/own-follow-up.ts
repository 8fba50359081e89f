import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { CancelledError, TerminalError, coerceError } from "#shared/errors.ts";
import type { OwnedSession } from "../core/owned-session.ts";
import type { FollowUpState } from "../state/session-state.ts";

/** A follow-up as its executor runs it: the session that it owns, with the follow-up's own cancel, deadline and fence. */
interface OwnedFollowUp extends Disposable {
  readonly session: OwnedSession;
  /** Ends the follow-up for this reason, and nothing else of the session. */
  readonly stop: (reason: CancelledError) => void;
}

const parseDeadline = compileParser(
  "deadline of a follow-up",
  Type.Object({
    left_ms: Type.Union([Type.Number(), Type.Null()]),
    timeout_ms: Type.Union([Type.Number(), Type.Null()]),
  }),
);

const DEADLINE = `
SELECT (extract(epoch FROM deadline_at - clock_timestamp()) * 1000)::float8 AS left_ms,
       (extract(epoch FROM deadline_at - started_at) * 1000)::float8 AS timeout_ms
FROM follow_ups WHERE follow_up_id = $1`;

/** The longest time that a timer can be set for, in milliseconds. */
const MAX_TIMER_MS = 2_147_483_647;

/**
 * Opens a follow-up that has started. `throwIfStopped`, called at the boundary of each step, is in addition to its own signals.
 * Throws database errors.
 */
export async function ownFollowUp(
  session: OwnedSession,
  { follow_up_id: followUpId, kind }: FollowUpState,
  throwIfStopped: () => void,
): Promise<OwnedFollowUp> {
  const [row] = await selectRows(session.db, parseDeadline, DEADLINE, [followUpId]);
  const openedAt = performance.now();
  const leftMs = row?.left_ms ?? Infinity;
  const timeoutMs = row?.timeout_ms ?? Infinity;
  const controller = new AbortController();
  const signal = AbortSignal.any([session.signal, controller.signal]);
  const stop = (reason: CancelledError) => controller.abort(reason);
  const atDeadline = () =>
    stop(
      new CancelledError("session_deadline", `${kind} timed out after ${Math.round(timeoutMs / 1_000)} s`),
    );
  const timer = leftMs <= MAX_TIMER_MS ? setTimeout(atDeadline, Math.max(0, leftMs)) : undefined;
  const own: OwnedSession = {
    ...session,
    followUpId,
    signal,
    timeoutMs,
    timeLeftMs: () => leftMs - (performance.now() - openedAt),
    // A cancel is that of the follow-up; a lost lease is that of the session.
    stop: (reason) => (reason.reason === "user" ? stop(reason) : session.stop(reason)),
    throwIfStopped: () => {
      signal.throwIfAborted();
      session.throwIfStopped();
      throwIfStopped();
    },
    reasonFor: (thrown) => {
      if (thrown instanceof CancelledError || thrown instanceof TerminalError) return thrown;
      const reason: unknown = signal.aborted ? signal.reason : thrown;
      return coerceError(reason);
    },
  };
  return { session: own, stop, [Symbol.dispose]: () => clearTimeout(timer) };
}
