import type { CheckedSession } from "./checked-session.ts";
import { finding } from "./finding.ts";
import { countBy } from "./check-tool-calls.ts";
import type { ModelCall } from "./model-server.ts";
import type { Finding } from "./scenario.ts";
import type { LoggedToolCall } from "./tool-log.ts";
import type { Claim } from "./witness.ts";

/** A cancel reaches the provider's socket within a second: so long may a call be on its way to it, or be kept up. */
const ON_ITS_WAY_MS = 1_000;

interface Evidence {
  readonly sessions: readonly CheckedSession[];
  readonly claims: readonly Claim[];
  readonly toolCalls: readonly LoggedToolCall[];
  /** Further repetitions that the scenario explains, over all sessions. */
  readonly mayRepeat: number;
}

/**
 * Judges by the model's own log. A call's number is how many answers the conversation had, so a call that comes after
 * one with a higher number asks for an answer that was recorded.
 */
export function checkModelCalls(
  calls: readonly ModelCall[],
  { sessions, claims, toolCalls, mayRepeat }: Evidence,
): Finding[] {
  const byCase = Map.groupBy(calls, ({ caseId }) => caseId);
  const sessionOf = new Map(sessions.map((session) => [session.case_id ?? "", session]));
  const claimsOf = countBy(claims, ({ session_id }) => session_id);
  const recordedAgain: string[] = [];
  const afterTheEnd: string[] = [];
  const tooOften: string[] = [];
  let unexplained = 0;
  byCase.delete(""); // not one of ours: nothing tells these investigations apart
  for (const [caseId, made] of byCase) {
    const session = sessionOf.get(caseId);
    const highest = new Map<string, number>();
    for (const { agent, number, at, brokenOffAt = Number.POSITIVE_INFINITY } of made) {
      const before = highest.get(agent) ?? 0;
      if (number < before) recordedAgain.push(`${caseId} ${agent} call ${number} after call ${before}`);
      highest.set(agent, Math.max(before, number));
      const end = session?.ended_at ?? null;
      if (end !== null && at > end && brokenOffAt > end + ON_ITS_WAY_MS) {
        afterTheEnd.push(`${caseId} call ${number}, ${Math.round(at - end)} ms late`);
      }
    }
    const looks = toolCalls.filter(
      ({ name, arguments: args }) => name === "lab.look" && args.includes(`"${caseId}"`),
    );
    const lookTimes = countBy(looks, (look) => look.arguments);
    const repeats = repeatedModelCalls(made) + looks.length - lookTimes.size;
    const owners = claimsOf.get(session?.session_id ?? "") ?? 1;
    // Agents that work beside each other can each be in mid-call.
    const explained = (owners - 1) * Math.max(1, new Set(made.map(({ agent }) => agent).filter(isTwin)).size);
    if (repeats > explained) {
      unexplained += repeats - explained;
      tooOften.push(`${caseId}: ${repeats} repetitions, ${owners} owners`);
    }
  }
  return [
    finding("no answer of the model that was recorded is asked for again", recordedAgain),
    finding("no call of the model starts once its session is over", afterTheEnd),
    finding(
      "a call without a recorded outcome is made again at most once for each change of owner",
      unexplained > mayRepeat ? tooOften : [],
    ),
  ];
}

/** LLM calls beyond the first of each answer. */
export function repeatedModelCalls(calls: readonly ModelCall[]): number {
  return calls.length - new Set(calls.map(keyOf)).size;
}

function isTwin(agent: string): boolean {
  return /^agent-1\d$/u.test(agent);
}

function keyOf({ caseId, agent, number }: ModelCall): string {
  return `${caseId}/${agent}/${number}`;
}
