import { withVariables, type ResolvedAgent, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";

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
