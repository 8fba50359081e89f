import type { ResolvedAgent, ResolvedChain, ResolvedStage } from "#shared/contracts/resolved-chain.ts";
import { isTerminal, type TerminalStatus } from "#shared/contracts/statuses.ts";
import { TerminalError } from "#shared/errors.ts";
import type { ExecutionState, SessionState, StageState } from "./persist/load-session.ts";
import { COMPLETED, outcomeOf, stageOutcome, type RunOutcome } from "./stage-outcome.ts";
import { stageAnswers, type StageAnswer } from "./stage-answers.ts";

/** What a session does next. Decided from its rows alone, so that any executor decides alike. */
export type SessionStep =
  | {
      readonly kind: "start-stage";
      readonly index: number;
      readonly plan: ResolvedStage;
      readonly total: number;
    }
  | RunExecutions
  /** The agents are done and the stage is a success: who combines their results gets a row. */
  | { readonly kind: "start-synthesis"; readonly place: StagePlace; readonly agent: ResolvedAgent }
  | {
      readonly kind: "complete-stage";
      readonly place: StagePlace;
      readonly end: RunOutcome;
      /** Whether the executive summary comes next. */
      readonly isLast: boolean;
    }
  /** The chain completed with an answer: ask for its summary, and finish whatever comes of it. */
  | { readonly kind: "summarize"; readonly author: AgentRun; readonly analysis: string }
  | { readonly kind: "finish"; readonly end: RunOutcome; readonly finalAnalysis: string | null }
  /** A cancel was recorded, perhaps before this executor took over. */
  | { readonly kind: "stop-cancelling" }
  | { readonly kind: "ended"; readonly status: TerminalStatus };

/** Every execution of the running stage that is not over. */
export interface RunExecutions {
  readonly kind: "run-executions";
  readonly place: StagePlace;
  readonly runs: readonly AgentRun[];
  /** The agents whose results the one run combines; empty unless it is the stage's synthesis. */
  readonly combined: readonly AgentRun[];
  readonly chain: ResolvedChain;
  /** The answers of all earlier stages, in order; empty for the first. */
  readonly previous: readonly StageAnswer[];
}

/** A stage and where it stands in its chain. */
export interface StagePlace {
  readonly stage: StageState;
  /** Agents without the synthesis. */
  readonly agents: number;
  /** Stages of the chain. */
  readonly total: number;
}

/** An execution's row with the agent that it runs. */
export interface AgentRun {
  readonly execution: ExecutionState;
  readonly agent: ResolvedAgent;
}

/**
 * Stages run in order; a stage's agents run beside each other, and then, if there are several and the policy is met,
 * the one that combines their results. A stage that does not complete ends the chain. Throws TerminalError `malformed` for
 * a stage without an execution for each of its agents, which no step leaves behind: no outcome would be true of it.
 */
export function nextSessionStep(state: SessionState): SessionStep {
  const { status, chain } = state;
  if (isTerminal(status)) return { kind: "ended", status };
  if (status === "cancelling") return { kind: "stop-cancelling" };
  for (const [index, plan] of chain.stages.entries()) {
    const stage = state.stages.find((row) => row.stage_index === index);
    if (stage === undefined) return { kind: "start-stage", index, plan, total: chain.stages.length };
    if (!isTerminal(stage.status)) return nextStageStep(state, stage, plan);
    if (stage.status !== "completed") return finish(state, outcomeOf(stage));
  }
  return summarize(state) ?? finish(state, COMPLETED);
}

function nextStageStep(state: SessionState, stage: StageState, plan: ResolvedStage): SessionStep {
  const { chain } = state;
  const place: StagePlace = { stage, agents: plan.agents.length, total: chain.stages.length };
  const runs = runsOf(state, stage, plan);
  if (runs.length < plan.agents.length) {
    const text = `stage ${stage.stage_index} has ${runs.length} of ${plan.agents.length} executions`;
    throw new TerminalError("malformed", text);
  }
  const open = runs.filter(({ execution }) => !isTerminal(execution.status));
  const agents = runs.slice(0, plan.agents.length);
  if (open.length > 0) {
    const earlier = state.stages.filter(({ stage_index }) => stage_index < stage.stage_index);
    const combined = runs.length > agents.length ? agents : [];
    return {
      kind: "run-executions",
      place,
      runs: open,
      combined,
      chain,
      previous: stageAnswers(state, earlier),
    };
  }
  const end = stageOutcome(
    agents.map(({ execution }) => execution),
    stage.success_policy,
  );
  const isLast = stage.stage_index === chain.stages.length - 1;
  const { synthesis } = plan;
  if (end.status !== "completed" || synthesis === undefined) {
    return { kind: "complete-stage", place, end, isLast };
  }
  const synthesized = runs[plan.agents.length];
  if (synthesized === undefined) return { kind: "start-synthesis", place, agent: synthesis };
  return { kind: "complete-stage", place, end: outcomeOf(synthesized.execution), isLast };
}

/** A stage's executions with their agents, in the order of their index; the synthesis, once it has a row, comes last. */
function runsOf(state: SessionState, { stage_id }: StageState, plan: ResolvedStage): AgentRun[] {
  const agents = plan.synthesis === undefined ? plan.agents : [...plan.agents, plan.synthesis];
  const executions = state.executions.filter((execution) => execution.stage_id === stage_id);
  return agents.flatMap((agent, index) => {
    const execution = executions.find(({ agent_index }) => agent_index === index + 1);
    return execution === undefined ? [] : [{ execution, agent }];
  });
}

/** The summary belongs to the chain's last execution, whose provider writes it. */
function summarize(state: SessionState): SessionStep | null {
  const [stage, plan] = [state.stages.at(-1), state.chain.stages.at(-1)];
  if (stage === undefined || plan === undefined) return null;
  const author = runsOf(state, stage, plan).at(-1);
  const analysis = stageAnswers(state, [stage]).at(-1)?.answer;
  return author === undefined || analysis === undefined ? null : { kind: "summarize", author, analysis };
}

/** The last stage's answer is the session's; after a failure the last answer there is. */
function finish(state: SessionState, end: RunOutcome): SessionStep {
  return { kind: "finish", end, finalAnalysis: stageAnswers(state, state.stages).at(-1)?.answer ?? null };
}
