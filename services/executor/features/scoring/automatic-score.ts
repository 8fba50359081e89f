import { uuidFrom } from "#shared/uuid-from.ts";
import { hashResolvedChain, storedChain } from "#shared/contracts/resolved-chain.ts";
import { scoreIdOf } from "#shared/contracts/scoring.ts";
import { SCORED_BY_ITSELF } from "#shared/contracts/statuses.ts";
import type { RunOutcome, StepRecord } from "../../persist/step-record.ts";
import { newExecution, stageEvent } from "../../persist/stage-rows.ts";
import type { SessionState } from "../../state/session-state.ts";

const NOTHING: StepRecord = { rows: {}, events: [] };

/**
 * The addition to the end of a session: the follow-up that scores it, if it completes and its configuration asks for
 * that. The ids derive from the session's, so that a repeated step names the same rows.
 */
export function automaticScore(state: SessionState, { status }: Pick<RunOutcome, "status">): StepRecord {
  const { sessionId: session_id, chain, scoring } = state;
  const [plan] = scoring?.stages ?? [];
  const [judge] = plan?.agents ?? [];
  if (status !== "completed" || scoring === undefined) return NOTHING;
  if (plan === undefined || judge === undefined) return NOTHING;
  const follow_up_id = uuidFrom("follow-up:score", session_id);
  const stage_id = uuidFrom("stage", follow_up_id);
  const score_id = scoreIdOf(follow_up_id);
  const present = state.stages.map(({ stage_index }) => stage_index);
  const stage = {
    stage_id,
    stage_name: plan.name,
    stage_index: 1 + Math.max(chain?.stages.length ?? 0, ...present),
    stage_type: "scoring",
  } as const;
  const asked = { follow_up_id, kind: "score", stage_id, asked_by: SCORED_BY_ITSELF } as const;
  const config = { resolved_config: storedChain(scoring), config_hash: hashResolvedChain(scoring) };
  return {
    rows: {
      stages: [
        { ...stage, expected_agent_count: 1, parallel_type: null, success_policy: null, is_follow_up: true },
      ],
      executions: [newExecution(stage_id, 1, judge)],
      followUps: [{ ...asked, ...config }],
      scores: [{ score_id, stage_id, follow_up_id, score_triggered_by: SCORED_BY_ITSELF }],
    },
    events: [
      { ...stageEvent("stage.started", { ...stage, session_id }, "active"), expected_agent_count: 1 },
      { type: "session.score_updated", session_id, score_id, scoring_status: "pending" },
    ],
  };
}
