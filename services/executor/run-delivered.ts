import type { SessionDelivery } from "#shared/bus/pull-session.ts";
import { TERMINAL_STATUSES, type TerminalStatus } from "#shared/contracts/statuses.ts";
import { jitter } from "#shared/pause.ts";
import { inSpan } from "#shared/telemetry/tracing.ts";
import { claimSession } from "./claim-session.ts";
import type { Choice, ConsumedQueue } from "./consumed-queue.ts";
import type { ExecutorDeps } from "./core/executor-deps.ts";
import { runSession, type RunEnd } from "./run-session.ts";
import type { Claimed, ClaimOutcome } from "./session-claim.ts";

/** The delay of a wake-up whose session cannot be started now. */
export const RETRY_MS = 1_000;

/** A delivered wake-up whose place among the running sessions is in use. */
export interface Slot {
  delivery: SessionDelivery;
  /** The session that runs in this place: the delivered one, or an older one that went first. */
  sessionId: string;
  /** True once the run has ended and only the acknowledgement is due. */
  isOver: boolean;
  /** True once the end of the session has asked for work that follows. */
  isFollowedUp: boolean;
  done: Promise<void>;
  /** While the stream takes no wake-ups, whether a place is free: asked in turn, just before the claim. */
  readonly hasPlace?: (() => Promise<boolean>) | undefined;
}

/** The pause before another look at what waits, after others have claimed all that were found. */
const CHOOSE_AGAIN_MS = 100;

/** The `status` label of each run's end. Label values are part of the metrics' public interface and stay. */
export const RUN_END_LABELS: Record<RunEnd, string> = {
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled",
  timed_out: "timed_out",
  "followed-up": "followed_up",
  released: "handed_over",
  waiting: "waiting",
  parked: "parked",
  interrupted: "interrupted",
  deferred: "put_off",
  lost: "lost",
};

/** How the wake-up is acknowledged. */
export type AckDecision = { readonly kind: "ack" } | { readonly kind: "nak"; readonly delayMs: number };

/** Claims a session for the place of a delivered wake-up, and runs it. */
export async function runDelivered(
  deps: ExecutorDeps,
  consumed: ConsumedQueue,
  { slot, natsUpMs }: { slot: Slot; natsUpMs: number },
  signals: { stop: AbortSignal; abort: AbortSignal },
): Promise<{ readonly end: RunEnd | null; readonly ack: AckDecision }> {
  const alone = slot.hasPlace === undefined ? await consumed.claimAlone(slot.sessionId) : undefined;
  const found = alone ?? (await claimChosen(deps, consumed, { slot, natsUpMs }, signals.stop));
  if (found.kind !== "claimed") return { end: null, ack: found };
  const log = deps.log.child({ session_id: slot.sessionId });
  const onFollowUp = () => {
    slot.isFollowedUp = true;
  };
  const end = await runInTrace({ ...deps, log, onFollowUp }, consumed.queue.stream, found, signals);
  deps.metrics.sessions.inc({ status: RUN_END_LABELS[end] });
  return { end, ack: ackDecision(end) };
}

/** Chooses what goes next among all that compete for the place, and claims it. */
async function claimChosen(
  deps: ExecutorDeps,
  { choose, inTurn }: ConsumedQueue,
  place: { readonly slot: Slot; readonly natsUpMs: number },
  stop: AbortSignal,
): Promise<AckDecision | Claimed> {
  const { slot } = place;
  const claimWith = async (next: Choice) => claimOne(deps, next, place);
  const delivered = slot.delivery.sessionId;
  const next = await choose(delivered, stop);
  const isContested = next !== "later" && "sessions" in next && next.isContested === true;
  if (!isContested && slot.hasPlace === undefined) return claimWith(next);
  return inTurn(async () => {
    if (slot.hasPlace !== undefined && !(await slot.hasPlace())) return claimWith("later");
    return claimWith(await choose(delivered, stop));
  });
}

/** Claims the first session of a choice that can be claimed; otherwise resolves with what to answer to the wake-up. */
async function claimOne(
  deps: ExecutorDeps,
  next: Choice,
  { slot, natsUpMs }: { slot: Slot; natsUpMs: number },
): Promise<AckDecision | Claimed> {
  const later = { kind: "nak", delayMs: jitter(RETRY_MS) } as const;
  if (next === "later") return later;
  // A delayed nak counts against max_ack_pending, so only a session that runs in this place justifies a long one.
  if ("retryInMs" in next) return { kind: "nak", delayMs: next.retryInMs };
  const place = slot.delivery.sessionId;
  let claim: ClaimOutcome = { kind: "over" };
  for (const sessionId of next.sessions) {
    slot.sessionId = sessionId;
    claim = await claimSession(deps.db, sessionId, deps.config.podId, { natsUpMs, place });
    if (claim.kind === "claimed") return claim;
  }
  // Others were faster with those that go first: what goes next is decided anew.
  const isOther = next.sessions.length > 0 && slot.sessionId !== place;
  if (isOther) return { kind: "nak", delayMs: jitter(CHOOSE_AGAIN_MS) };
  // Leased: another executor has just claimed it, or the session that asked for a follow-up is just ending.
  return claim.kind === "leased" ? later : { kind: "ack" };
}

/** Runs a claimed session in a span that continues the trace of its submission, whichever owner it is, and measures it. */
async function runInTrace(
  deps: ExecutorDeps,
  stream: string,
  claim: Claimed,
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
      // The session's time without its waits for people.
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
    case "parked":
      return { kind: "ack" };
    case "completed":
    case "failed":
    case "cancelled":
    case "timed_out":
    case "followed-up":
      return { kind: "ack" };
    default:
      return end satisfies never;
  }
}
