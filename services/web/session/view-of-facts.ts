import type { Overview } from "#shared/client/session-state.ts";
import type { SessionView } from "./session-view.ts";
import { StagesView } from "./stages-view.ts";

/** The session as the API says that it stands, without stages: what is shown until its events are read. Without an answer nothing is known. */
export function viewOfFacts(facts: Overview | undefined): SessionView {
  const { view } = new StagesView();
  if (facts === undefined) return view;
  const { score_id, scoring_status, latest_score, parked, conclusion_status } = facts;
  return {
    ...view,
    status: facts.status,
    error: facts.error_message ?? undefined,
    parked: parked?.at === undefined ? undefined : { ...parked, at: parked.at },
    startedAt: facts.started_at ?? undefined,
    endedAt: facts.completed_at ?? undefined,
    conclusion:
      conclusion_status === undefined
        ? undefined
        : {
            status: conclusion_status,
            verified: facts.claims_verified ?? 0,
            total: facts.claims_total ?? 0,
            seq: 0,
          },
    scoring:
      score_id === null || scoring_status === null
        ? undefined
        : { id: score_id, status: scoring_status, score: latest_score ?? undefined, seq: 0 },
  };
}
