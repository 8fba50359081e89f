import type { ResolvedAgent, ResolvedChain, ResolvedStage } from "#shared/contracts/resolved-chain.ts";
import { isChainStage, isTerminal, type TerminalStatus } from "#shared/contracts/statuses.ts";
import { TerminalError } from "#shared/errors.ts";
import type { ExecutionState, FollowUpState, SessionState, StageState } from "./state/session-state.ts";
import type { StageContext } from "./persist/progress-event.ts";
import { COMPLETED, type RunOutcome } from "./persist/step-record.ts";
import type { NextReplica, PlannedStage } from "./persist/stage-rows.ts";
import type { StageAnswer } from "./prompts/format-context.ts";
import { claimedActions, outcomeOf, stageOutcome } from "./stage-outcome.ts";

/** A session's next step. It depends on the session's rows alone, so that every executor decides the same. */
export type SessionStep =
  | ({ readonly kind: "start-stage" } & PlannedStage)
  /** Have the alert's runbook fetched, before the first stage. */
  | { readonly kind: "fetch-runbook" }
  | RunExecutions
  /** Start one more replica of a stage's agent, or go on with `agreed` if those that have run agree. */
  | WeighReplicas
  /** The agents have succeeded by the stage's policy: insert the execution that synthesises their results. */
  | { readonly kind: "start-synthesis"; readonly stage: StageContext; readonly agent: ResolvedAgent }
  | {
      readonly kind: "complete-stage";
      readonly stage: StageContext;
      readonly outcome: RunOutcome;
      /** The agents' claim about actions; null if none makes any. */
      readonly actions_claimed: boolean | null;
      readonly isSummaryNext: boolean;
    }
  /** The chain completed with an answer: request its summary, and finish with or without it. */
  | { readonly kind: "summarize"; readonly author: AgentRun; readonly analysis: string }
  | { readonly kind: "finish"; readonly outcome: RunOutcome; readonly finalAnalysis: string | null }
  /** A cancel was recorded, perhaps before this executor took over. */
  | { readonly kind: "stop-cancelling" }
  | { readonly kind: "ended"; readonly status: TerminalStatus };

/** The replicas that have run may agree, which their conclusions say. */
export interface WeighReplicas {
  readonly kind: "weigh-replicas";
  readonly stage: StageContext;
  readonly executionIds: readonly string[];
  readonly next: NextReplica;
  readonly agreed: SessionStep;
}

/** Run every execution of the current stage that is not terminal. */
export interface RunExecutions {
  readonly kind: "run-executions";
  readonly stage: StageContext;
  readonly runs: readonly AgentRun[];
  /** The agents whose results the synthesis combines; empty for other executions. */
  readonly synthesisInputs: readonly AgentRun[];
  readonly chain: ResolvedChain;
  /** The agents of the stage, in the order of their executions. */
  readonly agents: readonly ResolvedAgent[];
  /** The follow-up of a stage that runs after the end of its session. */
  readonly followUp?: FollowUpState;
  /** The answers of all earlier stages, in order; empty for the first. */
  readonly previous: readonly StageAnswer[];
}

/** An execution's row and its agent. */
export interface AgentRun {
  readonly execution: ExecutionState;
  readonly agent: ResolvedAgent;
}

/**
 * Stages run in order. A stage's agents run concurrently; if there are several and the policy is met, a synthesis of
 * their results follows. A stage that does not complete ends the chain. Throws TerminalError `malformed` for a stage
 * that lacks the execution of one of its agents, because no step commits such a stage.
 */
export function nextSessionStep({ chain, ...session }: SessionState): SessionStep {
  const { status } = session;
  if (isTerminal(status)) return { kind: "ended", status };
  if (status === "cancelling") return { kind: "stop-cancelling" };
  if (chain === null) throw new TerminalError("malformed", "the chain of a running session was not read");
  const state = { ...session, chain, stages: session.stages.filter(isChainStage) };
  if (state.isRunbookDue === true && state.stages.length === 0) return { kind: "fetch-runbook" };
  for (const [position, plan] of chain.stages.entries()) {
    const index = position + 1;
    const stage = state.stages.find((row) => row.stage_index === index);
    if (stage === undefined) return { kind: "start-stage", index, plan, total: chain.stages.length };
    if (!isTerminal(stage.status)) return nextStageStep(state, stage, plan);
    if (stage.status !== "completed") return finish(state, outcomeOf(stage));
  }
  return summarize(state) ?? finish(state, COMPLETED);
}

/** The state of a session that has not ended: only the stages of its chain decide. */
type RunningState = SessionState & { readonly chain: ResolvedChain };

function nextStageStep(state: RunningState, stage: StageState, plan: ResolvedStage): SessionStep {
  const { chain } = state;
  const context: StageContext = { row: stage, agents: plan.agents.length, total: chain.stages.length };
  const runs = runsOf(state, stage, plan);
  const agents = runs.filter(({ execution }) => execution.agent_index <= plan.agents.length);
  const synthesized = runs.find(({ execution }) => execution.agent_index > plan.agents.length);
  const planned = plan.replicas?.min ?? plan.agents.length;
  if (agents.length < planned) {
    const text = `stage ${stage.stage_index} has ${agents.length} of ${planned} executions`;
    throw new TerminalError("malformed", text);
  }
  const open = runs.filter(({ execution }) => !isTerminal(execution.status));
  if (open.length > 0 || hasOpenSubAgents(state, stage)) {
    const earlier = state.stages.filter(({ stage_index }) => stage_index < stage.stage_index);
    const synthesisInputs = synthesized === undefined ? [] : agents;
    return {
      kind: "run-executions",
      stage: context,
      runs: open,
      synthesisInputs,
      chain,
      agents: plan.agents,
      previous: stageAnswers(state, earlier),
    };
  }
  const executions = agents.map(({ execution }) => execution);
  const outcome = stageOutcome(executions, stage.success_policy);
  const end = (result: RunOutcome) =>
    completeStage(context, result, {
      actions_claimed: claimedActions(executions),
      hasAnswer: stageAnswers(state, [stage]).length > 0,
    });
  if (synthesized !== undefined) return end(outcomeOf(synthesized.execution));
  const { synthesis, replicas } = plan;
  const results = executions.filter(({ status }) => status === "completed").length;
  const isOne = replicas !== undefined && results === 1;
  const agreed: SessionStep =
    outcome.status !== "completed" || synthesis === undefined || isOne
      ? end(outcome)
      : { kind: "start-synthesis", stage: context, agent: synthesis };
  const next = replicas === undefined ? undefined : plan.agents[agents.length];
  if (next === undefined) return agreed;
  const executionIds = executions.map(({ execution_id }) => execution_id);
  return {
    kind: "weigh-replicas",
    stage: context,
    executionIds,
    next: { index: agents.length + 1, agent: next },
    agreed,
  };
}

/** Without an answer of the last stage there is nothing to summarize, and the session ends in the same commit. */
function completeStage(
  stage: StageContext,
  outcome: RunOutcome,
  { actions_claimed, hasAnswer }: { readonly actions_claimed: boolean | null; readonly hasAnswer: boolean },
): SessionStep {
  const isLast = stage.row.stage_index === stage.total;
  const isSummaryNext = isLast && outcome.status === "completed" && hasAnswer;
  return { kind: "complete-stage", stage, outcome, actions_claimed, isSummaryNext };
}

/** True while sub-agents of a stage run: they are stopped after their parent, if that ended without them. */
export function hasOpenSubAgents(
  { subAgents }: Pick<SessionState, "subAgents">,
  { stage_id }: Pick<StageState, "stage_id">,
): boolean {
  return subAgents.some((child) => child.stage_id === stage_id && !isTerminal(child.status));
}

/** A stage's executions with their agents, ordered by index; the synthesis, once it has a row, is last. */
export function runsOf(
  state: Pick<SessionState, "executions">,
  { stage_id }: Pick<StageState, "stage_id">,
  plan: ResolvedStage,
): AgentRun[] {
  const agents = plan.synthesis === undefined ? plan.agents : [...plan.agents, plan.synthesis];
  const executions = state.executions.filter((execution) => execution.stage_id === stage_id);
  return agents.flatMap((agent, index) => {
    const execution = executions.find(({ agent_index }) => agent_index === index + 1);
    return execution === undefined ? [] : [{ execution, agent }];
  });
}

/** The summary belongs to the chain's last execution, whose LLM provider writes it unless the chain names another. */
function summarize(state: RunningState): SessionStep | null {
  const [stage, plan] = [state.stages.at(-1), state.chain.stages.at(-1)];
  if (stage === undefined || plan === undefined) return null;
  const author = runsOf(state, stage, plan).at(-1);
  const analysis = stageAnswers(state, [stage]).at(-1)?.answer;
  if (author === undefined || analysis === undefined) return null;
  return { kind: "summarize", author: withSummaryProvider(author, state.chain), analysis };
}

function withSummaryProvider(
  { execution, agent }: AgentRun,
  { executive_summary: written }: ResolvedChain,
): AgentRun {
  if (written === undefined) return { execution, agent };
  const { llm_provider, fallback_providers = [] } = written;
  // A provider's calls may take longer than the agent's iterations.
  const iteration_timeout_ms = Math.max(agent.iteration_timeout_ms, llm_provider.call_timeout_ms ?? 0);
  return { execution, agent: { ...agent, llm_provider, fallback_providers, iteration_timeout_ms } };
}

/** The session's final analysis is the last stage's answer; after a failure, the last answer there is. */
function finish(state: SessionState, outcome: RunOutcome): SessionStep {
  return { kind: "finish", outcome, finalAnalysis: stageAnswers(state, state.stages).at(-1)?.answer ?? null };
}

/**
 * The answers of the given stages, in their order, without stages that have none. A stage's answer is that of its last
 * execution with one: the synthesis, which comes after the agents, or else an agent.
 */
function stageAnswers(state: SessionState, stages: readonly StageState[]): StageAnswer[] {
  return stages.flatMap((stage) => {
    const author = state.executions.findLast(
      ({ stage_id, execution_id }) => stage_id === stage.stage_id && state.answers.has(execution_id),
    );
    const answer = author && state.answers.get(author.execution_id);
    if (author === undefined || answer === undefined) return [];
    return [{ stageName: stage.stage_name, answer, executionId: author.execution_id }];
  });
}
