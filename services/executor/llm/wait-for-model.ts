import type { WaitingFor } from "#shared/contracts/iteration-state.ts";
import type { ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { SessionClock } from "../core/session-parts.ts";
import { retryDelay, waitFrom } from "../core/wait.ts";
import type { LlmOutcome } from "./llm-reply.ts";
import type { OpenCircuit } from "./provider-circuits.ts";

/**
 * The total time for which a step waits for a provider that asks it to, in milliseconds; less if the session as a whole may take less.
 * These waits do not count against the session's deadline, so they need a limit of their own.
 */
export const MAX_PROVIDER_WAIT_MS = 60 * 60 * 1_000;
/** The same, in all, for an agent that has another provider to turn to. */
const MAX_WAIT_BEFORE_FALLBACK_MS = 30_000;
type WaitingClock = Pick<SessionClock, "databaseNow" | "timeoutMs">;

/** Spreads the return of many sessions that wait for the same time. */
const SPREAD = 0.1;

/**
 * The wait of an agent after this outcome of an LLM call, or null if the outcome counts. `before` is the last wait of
 * the same step. An outage of the gateways counts against the session's deadline, so it needs no limit here. With
 * `hasFallback` a provider that has failed all tries of a call is not waited for, nor any for long.
 */
export function waitForModel(
  clock: WaitingClock,
  outcome: LlmOutcome,
  before: WaitingFor | null,
  hasFallback: boolean,
): WaitingFor | null {
  if (outcome.kind === "unreachable") {
    const { message, reason } = outcome;
    return waitFrom(clock, before, {
      kind: "gateway",
      reason: postgresSafeText(`${message} (${reason})`).text,
      delayMs: retryDelay(clock, before, "gateway"),
      pauses_deadline: false,
    });
  }
  if (outcome.kind !== "failed" || outcome.retryAfterMs === undefined) return null;
  if (hasFallback && outcome.code === "max_retries") return null;
  const wait = waitFrom(clock, before, {
    kind: "provider",
    reason: postgresSafeText(outcome.message).text,
    delayMs: outcome.retryAfterMs * (1 + SPREAD * Math.random()),
    pauses_deadline: true,
  });
  return withinLimit(wait, hasFallback ? MAX_WAIT_BEFORE_FALLBACK_MS : longestWait(clock));
}

/**
 * The wait of an agent whose only provider is away: the next probe, which it may make itself. Null once it has waited
 * for too long.
 */
export function waitForProbe(
  clock: WaitingClock,
  { name }: Pick<ResolvedProvider, "name">,
  { lastError, probeInMs }: OpenCircuit,
  before: WaitingFor | null,
): WaitingFor | null {
  const wait = waitFrom(clock, before, {
    kind: "provider",
    reason: postgresSafeText(`${name} is away: ${lastError}`).text,
    delayMs: Math.max(probeInMs * (1 + SPREAD * Math.random()), retryDelay(clock, before, "provider")),
    pauses_deadline: true,
  });
  return withinLimit(wait, longestWait(clock));
}

function longestWait({ timeoutMs }: WaitingClock): number {
  return Math.min(MAX_PROVIDER_WAIT_MS, timeoutMs);
}

function withinLimit(wait: WaitingFor, limitMs: number): WaitingFor | null {
  return Date.parse(wait.until) - Date.parse(wait.since) > limitMs ? null : wait;
}

/**
 * The outcome to record if nothing is waited for. An agent that asked again where the provider has named a time that is
 * too late would only use up its iterations, so that error is not retryable.
 */
export function outcomeWithoutWait(outcome: LlmOutcome): LlmOutcome {
  return outcome.kind === "failed" && outcome.retryAfterMs !== undefined
    ? { ...outcome, retryable: false }
    : outcome;
}
