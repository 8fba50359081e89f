import type { CheckedSession } from "./checked-session.ts";
import { finding } from "./finding.ts";
import { countBy } from "./check-tool-calls.ts";
import type { ModelCall } from "./model-server.ts";
import type { Finding } from "./scenario.ts";
import type { LoggedToolCall } from "./tool-log.ts";
import type { Claim } from "./database-recorder.ts";

/** A cancel reaches the provider's socket within a second; a call may start or stay open for that long. */
const CANCEL_LATENCY_MS = 1_000;

interface Evidence {
  readonly sessions: readonly CheckedSession[];
  readonly claims: readonly Claim[];
  readonly toolCalls: readonly LoggedToolCall[];
  /** Repetitions that the scenario allows, over all sessions. */
  readonly mayRepeat: number;
}

/**
 * Checks the model's log of calls. A call's number is the number of answers in its conversation plus one. A call after one
 * with a higher number therefore asks again for an answer that was recorded.
 */
export function checkModelCalls(
  calls: readonly ModelCall[],
  { sessions, claims, toolCalls, mayRepeat }: Evidence,
): Finding[] {
  const byCase = Map.groupBy(calls, ({ caseId }) => caseId);
  const sessionOf = new Map(sessions.map((session) => [session.case_id ?? "", session]));
  const claimsOf = countBy(claims, ({ session_id }) => session_id);
  const repeatedAnswers: string[] = [];
  const afterEnd: string[] = [];
  const tooOften: string[] = [];
  let unexplained = 0;
  byCase.delete(""); // alerts without a case id cannot be told apart
  for (const [caseId, made] of byCase) {
    const session = sessionOf.get(caseId);
    const highest = new Map<string, number>();
    for (const { agent, number, at, brokenOffAt = Number.POSITIVE_INFINITY } of made) {
      const before = highest.get(agent) ?? 0;
      if (number < before) repeatedAnswers.push(`${caseId} ${agent} call ${number} after call ${before}`);
      highest.set(agent, Math.max(before, number));
      const end = session?.ended_at ?? null;
      if (end !== null && at > end && brokenOffAt > end + CANCEL_LATENCY_MS) {
        afterEnd.push(`${caseId} call ${number}, ${Math.round(at - end)} ms late`);
      }
    }
    const lookCalls = toolCalls.filter(
      ({ name, arguments: args }) => name === "lab.look" && args.includes(`"${caseId}"`),
    );
    const distinctLooks = countBy(lookCalls, (call) => call.arguments);
    const repeats = repeatedModelCalls(made) + lookCalls.length - distinctLooks.size;
    const owners = claimsOf.get(session?.session_id ?? "") ?? 1;
    // Each concurrent agent can have a call in progress when the owner changes.
    const explained =
      (owners - 1) * Math.max(1, new Set(made.map(({ agent }) => agent).filter(isConcurrent)).size);
    if (repeats > explained) {
      unexplained += repeats - explained;
      tooOften.push(`${caseId}: ${repeats} repetitions, ${owners} owners`);
    }
  }
  return [
    finding("no recorded LLM answer is requested again", repeatedAnswers),
    finding("no LLM call starts after its session has ended", afterEnd),
    finding(
      "a call without a recorded outcome is repeated at most once for each change of owner",
      unexplained > mayRepeat ? tooOften : [],
    ),
  ];
}

/** The number of LLM calls beyond the first for each answer. */
export function repeatedModelCalls(calls: readonly ModelCall[]): number {
  return calls.length - new Set(calls.map(keyOf)).size;
}

/** An agent that runs beside others of its session: one of several, a sub-agent, or the agent that started it. */
function isConcurrent(agent: string): boolean {
  return /^agent-(?:1\d|31)(?:\/|$)/u.test(agent);
}

function keyOf({ caseId, agent, number }: ModelCall): string {
  return `${caseId}/${agent}/${number}`;
}
