import { uuidFrom } from "#shared/uuid-from.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";
import { withVariables, type ResolvedAgent, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";

/** The states of a scoring; those before `completed` are open. `memorizing`: the score is known, its lessons are not yet drawn. */
export const SCORE_STATUSES = [
  "pending",
  "in_progress",
  "memorizing",
  "completed",
  "failed",
  "cancelled",
] as const;
export const ScoreStatus = literals(SCORE_STATUSES);
export type ScoreStatus = Static<typeof ScoreStatus>;

/** The faults that a judge can find in an investigation. */
export const FAILURE_TAGS = [
  "premature_conclusion",
  "missed_available_tool",
  "unsupported_confidence",
  "incomplete_evidence",
  "hallucinated_evidence",
  "wrong_conclusion",
] as const;

export const MAX_SCORE = 100;

/** A score of 0 to 100. */
export const Score = Type.Integer({ minimum: 0, maximum: MAX_SCORE });

/** The id of the score that a follow-up writes. It derives from the follow-up's, so that no step has to look it up. */
export function scoreIdOf(followUpId: string): string {
  return uuidFrom("score", followUpId);
}

/** The time for the judge's calls and what is learned from the score. */
const SCORING_TIMEOUT_MS = 10 * 60 * 1_000;

/** The name of the stage in which a session is scored. */
const SCORING_STAGE = "Reflection";

/** The configuration of a scoring, as its follow-up stores it: the session's chain with one stage, in which the judge runs. */
export function scoringChain(
  { scoring: _scoring, ...chain }: ResolvedChain,
  judge: ResolvedAgent,
): ResolvedChain {
  return withVariables({
    ...chain,
    session_timeout_ms: SCORING_TIMEOUT_MS,
    stages: [{ name: SCORING_STAGE, parallel_type: null, success_policy: "any", agents: [judge] }],
  });
}
