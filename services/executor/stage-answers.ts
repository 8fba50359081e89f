import type { SessionState, StageState } from "./persist/load-session.ts";

/** What one stage found. */
export interface StageAnswer {
  readonly stageName: string;
  readonly answer: string;
}

/**
 * The answers of the given stages, in their order; a stage without one is left out. Of several executions the last one
 * with an answer speaks for its stage: the synthesis, which comes after the agents, or where there is none yet, an agent.
 */
export function stageAnswers(state: SessionState, stages: readonly StageState[]): StageAnswer[] {
  return stages.flatMap((stage) => {
    const answer = state.executions
      .filter((execution) => execution.stage_id === stage.stage_id)
      .flatMap((execution) => state.answers.get(execution.execution_id) ?? [])
      .at(-1);
    return answer === undefined ? [] : [{ stageName: stage.stage_name, answer }];
  });
}
