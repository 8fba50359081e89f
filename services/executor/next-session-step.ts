import type { ResolvedAgent, ResolvedChain, ResolvedStage } from "#shared/contracts/resolved-chain.ts";
import { isTerminal, type TerminalStatus } from "#shared/contracts/statuses.ts";
import type { ExecutionState, SessionState, StageState } from "./load-session.ts";

/** What a session does next. Decided from its rows alone, so that any executor decides alike. */
export type SessionStep =
  | { readonly kind: "start-stage"; readonly index: number; readonly plan: ResolvedStage }
  | {
      readonly kind: "run-execution";
      readonly stage: StageState;
      readonly execution: ExecutionState;
      readonly agent: ResolvedAgent;
      readonly chain: ResolvedChain;
      /** The answers of all earlier stages, in order; empty for the first. */
      readonly previous: readonly StageAnswer[];
    }
  | { readonly kind: "complete-stage"; readonly stage: StageState; readonly end: RunOutcome }
  | { readonly kind: "finish"; readonly end: RunOutcome; readonly finalAnalysis: string | null }
  /** A cancel was recorded, perhaps before this executor took over. */
  | { readonly kind: "stop-cancelling" }
  | { readonly kind: "ended"; readonly status: TerminalStatus };

/** How a stage or session ends, with the first failure's words where it did not complete. */
export interface RunOutcome {
  readonly status: TerminalStatus;
  readonly errorMessage: string | null;
  readonly errorCode: string | null;
}

const COMPLETED: RunOutcome = { status: "completed", errorMessage: null, errorCode: null };

/** What one stage found. */
export interface StageAnswer {
  readonly stageName: string;
  readonly answer: string;
}

/** Stages run in order, each stage's agents one after the other; a stage that does not complete ends the chain. */
export function nextSessionStep(state: SessionState): SessionStep {
  if (isTerminal(state.status)) return { kind: "ended", status: state.status };
  if (state.status === "cancelling") return { kind: "stop-cancelling" };
  for (const [index, plan] of state.chain.stages.entries()) {
    const stage = state.stages.find((row) => row.stage_index === index);
    if (stage === undefined) return { kind: "start-stage", index, plan };
    if (!isTerminal(stage.status)) return nextStageStep(state, stage, plan);
    if (stage.status !== "completed") return finish(state, outcomeOf(stage));
  }
  return finish(state, COMPLETED);
}

function nextStageStep(state: SessionState, stage: StageState, plan: ResolvedStage): SessionStep {
  const executions = state.executions.filter((execution) => execution.stage_id === stage.stage_id);
  for (const [index, agent] of plan.agents.entries()) {
    const execution = executions.find((row) => row.agent_index === index + 1);
    if (execution !== undefined && !isTerminal(execution.status)) {
      return {
        kind: "run-execution",
        stage,
        execution,
        agent,
        chain: state.chain,
        previous: answersBefore(state, stage),
      };
    }
  }
  return { kind: "complete-stage", stage, end: aggregate(executions, stage) };
}

/** The reference's ladder: completed by policy, else the status all share, else failed. */
function aggregate(executions: readonly ExecutionState[], stage: StageState): RunOutcome {
  const [first] = executions;
  const completed = executions.filter(({ status }) => status === "completed").length;
  const enough = stage.success_policy === "all" ? executions.length : 1;
  if (first !== undefined && completed >= enough) return COMPLETED;
  // A single agent speaks for its stage; several are summed up.
  if (first !== undefined && executions.length === 1) return outcomeOf(first);
  const errorCode = executions.find(({ error_code }) => error_code !== null)?.error_code ?? null;
  if (executions.every(({ status }) => status === "timed_out")) {
    return { status: "timed_out", errorMessage: "all agents timed out", errorCode };
  }
  if (executions.every(({ status }) => status === "cancelled")) {
    return { status: "cancelled", errorMessage: "all agents cancelled", errorCode };
  }
  const text = stage.success_policy === "all" ? "one or more agents failed" : "all agents failed";
  return { status: "failed", errorMessage: text, errorCode };
}

function outcomeOf(row: StageState | ExecutionState): RunOutcome {
  const status = isTerminal(row.status) ? row.status : "failed";
  return { status, errorMessage: row.error_message, errorCode: row.error_code };
}

/** The last stage's answer is the session's; after a failure the last answer there is. */
function finish(state: SessionState, end: RunOutcome): SessionStep {
  const answers = answersOf(state, state.stages);
  return { kind: "finish", end, finalAnalysis: answers.at(-1)?.answer ?? null };
}

function answersBefore(state: SessionState, stage: StageState): StageAnswer[] {
  return answersOf(
    state,
    state.stages.filter((earlier) => earlier.stage_index < stage.stage_index),
  );
}

function answersOf(state: SessionState, stages: readonly StageState[]): StageAnswer[] {
  return stages.flatMap((stage) => {
    const texts = state.executions
      .filter((execution) => execution.stage_id === stage.stage_id)
      .flatMap((execution) => state.answers.get(execution.execution_id) ?? []);
    const answer = texts.at(-1);
    return answer === undefined ? [] : [{ stageName: stage.stage_name, answer }];
  });
}
