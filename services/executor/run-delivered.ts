import type { SessionDelivery } from "#shared/bus/pull-session.ts";
import { TERMINAL_STATUSES, type TerminalStatus } from "#shared/contracts/statuses.ts";
import { jitter } from "#shared/pause.ts";
import { inSpan } from "#shared/telemetry/tracing.ts";
import { claimSession } from "./claim-session.ts";
import type { ConsumedQueue } from "./consumed-queue.ts";
import type { ExecutorDeps } from "./executor-deps.ts";
import { runSession, type RunEnd } from "./run-session.ts";
import type { ClaimOutcome } from "./session-claim.ts";

/** Of a wake-up whose session cannot be started now. */
export const RETRY_MS = 1_000;

/** A delivered wake-up whose place among the running sessions is in use. */
export interface Slot {
  delivery: SessionDelivery;
  /** The session that runs in this place: the delivered one, or an older one that went first. */
  sessionId: string;
  /** True once the run has ended and only the acknowledgement is due. */
  isOver: boolean;
  done: Promise<void>;
}

/** The `status` label of each run's end. Label values are part of the metrics' public interface and stay. */
export const RUN_END_LABELS: Record<RunEnd, string> = {
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled",
  timed_out: "timed_out",
  released: "handed_over",
  waiting: "waiting",
  interrupted: "interrupted",
  deferred: "put_off",
  lost: "lost",
};

/** How the wake-up is acknowledged. */
export type AckDecision = { readonly kind: "ack" } | { readonly kind: "nak"; readonly delayMs: number };

/** Claims a session for the place of a delivered wake-up, and runs it. */
export async function runDelivered(
  deps: ExecutorDeps,
  { queue, choose, leasedForMs }: ConsumedQueue,
  { slot, natsUpMs }: { slot: Slot; natsUpMs: number },
  signals: { stop: AbortSignal; abort: AbortSignal },
): Promise<{ readonly end: RunEnd | null; readonly ack: AckDecision }> {
  const next = await choose(slot.delivery.sessionId, signals.stop);
  if (next === null) return { end: null, ack: { kind: "nak", delayMs: jitter(RETRY_MS) } };
  let claim: ClaimOutcome = { kind: "over" };
  for (const sessionId of next) {
    slot.sessionId = sessionId;
    claim = await claimSession(deps.db, sessionId, deps.config.podId, { natsUpMs });
    if (claim.kind === "claimed") break;
  }
  if (claim.kind === "over" || claim.kind === "waiting") return { end: null, ack: { kind: "ack" } };
  // A delayed nak counts against max_ack_pending, so only a live lease justifies one.
  if (claim.kind === "leased") {
    return { end: null, ack: { kind: "nak", delayMs: leasedForMs(claim.forMs) + 500 * Math.random() } };
  }
  const log = deps.log.child({ session_id: slot.sessionId });
  const end = await runInTrace({ ...deps, log }, queue.stream, claim, signals);
  deps.metrics.sessions.inc({ status: RUN_END_LABELS[end] });
  return { end, ack: ackDecision(end) };
}

/** Runs a claimed session in a span that continues the trace of its submission, whichever owner it is, and measures it. */
async function runInTrace(
  deps: ExecutorDeps,
  stream: string,
  claim: Extract<ClaimOutcome, { kind: "claimed" }>,
  signals: { stop: AbortSignal; abort: AbortSignal },
): Promise<RunEnd> {
  const { sessionId, epoch, trace, waitedMs, sessionTimeoutMs, deadlineInMs } = claim;
  const startedAt = performance.now();
  if (waitedMs !== null) deps.metrics.waitSeconds.observe(waitedMs / 1_000);
  const attributes = {
    "messaging.system": "nats",
    "messaging.operation.type": "process",
    "messaging.operation.name": "process",
    "messaging.destination.name": stream,
    "tarsy.session.id": sessionId,
    "tarsy.session.epoch": epoch,
    "tarsy.executor": deps.config.podId,
  };
  const options = { kind: "consumer", parent: trace, attributes } as const;
  return inSpan(`process ${stream}`, options, async (span) => {
    const end = await runSession(deps, claim, signals);
    span.set({ "tarsy.session.outcome": RUN_END_LABELS[end] });
    if (end === "failed" || end === "timed_out") span.fail(end);
    if (isTerminal(end)) {
      // Without what a wait for a person paused.
      const ms = sessionTimeoutMs - deadlineInMs + (performance.now() - startedAt);
      deps.metrics.sessionSeconds.observe({ status: end }, Math.max(0, ms) / 1_000);
    }
    return end;
  });
}

function isTerminal(end: RunEnd): end is TerminalStatus {
  return TERMINAL_STATUSES.some((status) => status === end);
}

/** Maps a run's end to the acknowledgement; the only place that does so. */
function ackDecision(end: RunEnd): AckDecision {
  switch (end) {
    case "released":
      return { kind: "nak", delayMs: 0 };
    case "interrupted":
    case "lost":
      return { kind: "nak", delayMs: RETRY_MS * (1 + Math.random()) };
    case "deferred":
    case "waiting":
      return { kind: "ack" };
    case "completed":
    case "failed":
    case "cancelled":
    case "timed_out":
      return { kind: "ack" };
    default:
      return end satisfies never;
  }
}
