import { uuidFrom } from "#shared/uuid-from.ts";
import {
  isChainStage,
  isTerminal,
  type RunStatus,
  type SessionStatus,
  type StageType,
} from "#shared/contracts/statuses.ts";

/** The types of stages that clients of the contract see. */
export const SHOWN_STAGE_TYPES = [
  "investigation",
  "synthesis",
  "chat",
  "exec_summary",
  "scoring",
  "action",
] as const;
export type ShownStageType = (typeof SHOWN_STAGE_TYPES)[number];

/** The columns that the numbering needs of a row of `stages`. */
export interface ChainStage {
  readonly stage_id: string;
  readonly stage_name: string;
  /** Orders the chain's stages; from which number they count does not matter. */
  readonly stage_index: number;
  readonly stage_type: StageType;
  readonly status: RunStatus;
  /** Number of its agents, without the synthesis. */
  readonly expected_agent_count: number;
}

/** The columns that the numbering needs of a row of `agent_executions`. */
export interface StageExecution {
  readonly stage_id: string;
  /** Counts from 1; above the stage's `expected_agent_count` it is the synthesis. Of a sub-agent, from 1 below its parent. */
  readonly agent_index: number;
  /** The execution that started a sub-agent; null or absent for others. */
  readonly parent_execution_id?: string | null;
  readonly status: RunStatus;
}

/** A stage as clients of the contract see it. */
export interface ShownStage<S extends ChainStage, E extends StageExecution> {
  readonly stage_id: string;
  readonly stage_name: string;
  /** Counts from 1 over all shown stages. It never changes once the stage is shown. */
  readonly stage_index: number;
  readonly stage_type: ShownStageType;
  readonly status: RunStatus;
  /** The stage of a synthesis: the one whose results it combines. */
  readonly referenced_stage_id: string | null;
  /** The stored stage that it is, or that a synthesis belongs to; null for the executive summary. */
  readonly row: S | null;
  /** A stage of the chain whose agents are followed by a synthesis that exists. */
  readonly has_synthesis: boolean;
  /** Ordered by `agent_index`, with the id of the shown stage and numbered from 1; empty for the executive summary. */
  readonly executions: readonly E[];
  /** Those that the agents of the stage have started, by `agent_index` below each parent. */
  readonly sub_agents: readonly E[];
}

/** The id of the stage in which the synthesis of a chain's stage is shown. */
export function synthesisStageId(stageId: string): string {
  return uuidFrom("synthesis-stage", stageId);
}

/** The id of the stage in which a session's executive summary is shown. */
export function summaryStageId(sessionId: string): string {
  return uuidFrom("summary-stage", sessionId);
}

/** The entry that shows the executive summary in its stage; no row stands for it. */
export function summaryAgent(sessionId: string) {
  const execution_id = uuidFrom("execution", summaryStageId(sessionId));
  return { execution_id, agent_name: "ExecSummaryAgent", agent_index: 1 } as const;
}

/**
 * The stages that a client of the contract sees, numbered from 1: every stage of the chain, behind it its synthesis as soon as
 * that exists, and at the end the executive summary, whose status is `summary` (`summaryStatus`), null for none. A stage with
 * a synthesis is over for its agents, so it is shown as completed. Stages that follow the session's end are last, numbered
 * from `planned`, the number of stages that are shown if nothing fails, so that a failure does not change their numbers.
 */
export function shownStages<S extends ChainStage, E extends StageExecution>(
  session_id: string,
  rows: { readonly stages: readonly S[]; readonly executions: readonly E[] },
  summary: RunStatus | null,
  planned = 0,
): ShownStage<S, E>[] {
  const stages = rows.stages.toSorted((a, b) => a.stage_index - b.stage_index);
  const shown = stages.filter(isChainStage).flatMap((row) => shownOf(row, rows.executions));
  if (summary !== null) {
    shown.push({
      stage_id: summaryStageId(session_id),
      stage_name: "Executive Summary",
      stage_type: "exec_summary",
      status: summary,
      referenced_stage_id: null,
      row: null,
      has_synthesis: false,
      executions: [],
      sub_agents: [],
    });
  }
  const followUps = stages
    .filter((row) => !isChainStage(row))
    .flatMap((row) => shownOf(row, rows.executions));
  const before = Math.max(planned, shown.length);
  return [
    ...shown.map((stage, position) => ({ ...stage, stage_index: position + 1 })),
    ...followUps.map((stage, position) => ({ ...stage, stage_index: before + position + 1 })),
  ];
}

type Unnumbered<S extends ChainStage, E extends StageExecution> = Omit<ShownStage<S, E>, "stage_index">;

function shownOf<S extends ChainStage, E extends StageExecution>(
  row: S,
  executions: readonly E[],
): Unnumbered<S, E>[] {
  const { stage_id, stage_name, stage_type, status, expected_agent_count } = row;
  const all = executions
    .filter((execution) => execution.stage_id === stage_id)
    .toSorted((a, b) => a.agent_index - b.agent_index);
  const [own, sub_agents] = [all.filter((one) => !isSubAgent(one)), all.filter(isSubAgent)];
  const agents = own.filter(({ agent_index }) => agent_index <= expected_agent_count);
  const syntheses = own.filter(({ agent_index }) => agent_index > expected_agent_count);
  const [synthesis] = syntheses;
  const synthesis_id = synthesisStageId(stage_id);
  const stage: Unnumbered<S, E> = {
    stage_id,
    stage_name,
    stage_type,
    status: synthesis === undefined ? status : "completed",
    referenced_stage_id: null,
    row,
    has_synthesis: synthesis !== undefined,
    executions: agents,
    sub_agents,
  };
  if (synthesis === undefined) return [stage];
  return [
    stage,
    {
      stage_id: synthesis_id,
      stage_name: `${stage_name} - Synthesis`,
      stage_type: "synthesis",
      status: isTerminal(status) ? status : synthesisStatus(synthesis.status),
      referenced_stage_id: stage_id,
      row,
      has_synthesis: false,
      executions: syntheses.map((execution) => ({
        ...execution,
        stage_id: synthesis_id,
        agent_index: execution.agent_index - expected_agent_count,
      })),
      sub_agents: [],
    },
  ];
}

/** True for an execution that an agent has started; it is neither an agent of its stage nor its synthesis. */
function isSubAgent({ parent_execution_id }: Pick<StageExecution, "parent_execution_id">): boolean {
  return parent_execution_id !== undefined && parent_execution_id !== null;
}

/** A stage ends with its own row, which follows the end of its execution. */
function synthesisStatus(status: RunStatus): RunStatus {
  return isTerminal(status) ? "active" : status;
}

/** The members that decide about the executive summary. */
interface SummarizedSession {
  readonly status: SessionStatus;
  readonly executive_summary: string | null;
  readonly executive_summary_error: string | null;
}

/**
 * The status of a session's executive summary, null while there is none: it begins when all stages of the chain are completed.
 * A session whose last stage has no answer completes in the same commit and has none. The events say the same: the executor
 * announces the summary by a `session.progress` only if there is something to summarize. `planned` is the number of the chain's stages.
 */
export function summaryStatus(
  { status, executive_summary, executive_summary_error }: SummarizedSession,
  stages: readonly Pick<ChainStage, "status">[],
  planned: number,
): RunStatus | null {
  if (executive_summary !== null) return "completed";
  if (executive_summary_error !== null) return "failed";
  const isDue = stages.length >= planned && stages.every((stage) => stage.status === "completed");
  // A session that completed without either had no analysis to summarize.
  if (!isDue || status === "pending" || status === "completed") return null;
  return isTerminal(status) ? status : "active";
}
