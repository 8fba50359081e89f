import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { callOfResult } from "#shared/contract-view/tool-call-entry.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { SessionEventPayload } from "#shared/contracts/session-event.ts";
import { isChainStage, type StageType } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { STAGES } from "#shared/database/tables/stages.ts";
import { AGENT_EXECUTIONS } from "#shared/database/tables/agent-executions.ts";
import type { PlanNumbering } from "./plan-numbering.ts";

/** The facts in the rows of a session that the translation of an event needs. */
const FactRows = Type.Object({
  /** Milliseconds since its end by the database's clock; null while it runs. */
  ended_ms_ago: Type.Union([Type.Number(), Type.Null()]),
  has_summary: Type.Boolean(),
  is_summary_due: Type.Boolean(),
  stages: Type.Array(Type.Object(rowMembers(STAGES, "stage_id", "stage_index", "stage_type"))),
  executions: Type.Array(
    Type.Object(
      rowMembers(AGENT_EXECUTIONS, "execution_id", "stage_id", "agent_index", "parent_execution_id"),
    ),
  ),
  calls: Type.Array(
    Type.Object({
      event_id: Uuid,
      execution_id: Uuid,
      /** It has a `tool_result`. */
      is_answered: Type.Boolean(),
    }),
  ),
});
type FactRows = Static<typeof FactRows>;

export const parseFactRows = compileParser("rows of a session's stages", FactRows);

/**
 * The known facts of a session: its plan, which stages, executions and tool calls there are, and what has ended. Facts are only
 * ever added, in any order, so that an event's translation is the same whenever it is made once its own facts are known.
 */
export class DialectFacts {
  readonly sessionId: string;
  readonly plan: PlanNumbering;
  /** The stages of the chain. */
  readonly #stages = new Map<string, number>();
  /** Those that follow the session's end. */
  readonly #followUps = new Set<string>();
  /** Has no sub-agents, which are neither agents of their stage nor its synthesis. */
  readonly #executions = new Map<string, { readonly stageId: string; readonly agentIndex: number }>();
  /** The executions of the tool calls. */
  readonly #calls = new Map<string, string>();
  /** The calls that have a result. */
  readonly #answered = new Set<string>();
  #hasRows = false;
  #hasSummary = false;
  #isSummaryDue = false;
  /** The clock is `performance.now()`. */
  #endedAt: number | undefined;

  constructor(sessionId: string, plan: PlanNumbering) {
    this.sessionId = sessionId;
    this.plan = plan;
  }

  /** Adds what the rows say. */
  addRows({ ended_ms_ago, has_summary, is_summary_due, stages, executions, calls }: FactRows): void {
    this.#hasRows = true;
    if (ended_ms_ago !== null) this.#endedAt ??= performance.now() - ended_ms_ago;
    this.#hasSummary ||= has_summary;
    this.#isSummaryDue ||= is_summary_due;
    for (const stage of stages) this.#addStage(stage);
    for (const { execution_id, stage_id, agent_index, parent_execution_id } of executions) {
      if (parent_execution_id !== null) continue;
      this.#executions.set(execution_id, { stageId: stage_id, agentIndex: agent_index });
    }
    for (const { event_id, execution_id, is_answered } of calls) {
      this.#calls.set(event_id, execution_id);
      if (is_answered) this.#answered.add(event_id);
    }
  }

  /** Adds what an event says. */
  addEvent(payload: SessionEventPayload): void {
    switch (payload.type) {
      case "stage.started":
      case "stage.completed":
        this.#addStage(payload);
        return;
      case "session.progress":
        this.#isSummaryDue ||= payload.current_stage_type === "exec_summary";
        return;
      case "execution.status":
        if (payload.parent_execution_id !== undefined) return;
        this.#executions.set(payload.execution_id, {
          stageId: payload.stage_id,
          agentIndex: payload.agent_index,
        });
        return;
      case "timeline_event.created":
        return this.#addTimeline(payload);
      case "session.completed":
        this.#endedAt ??= performance.now();
        return;
      default:
        return;
    }
  }

  /** True if all that came before the first event has been added; until then a stage's position is not known. */
  get hasRows(): boolean {
    return this.#hasRows;
  }

  /** Milliseconds since the session's end; undefined while it runs. */
  get endedMsAgo(): number | undefined {
    return this.#endedAt === undefined ? undefined : performance.now() - this.#endedAt;
  }

  /** True if the executive summary has begun: all stages of the chain are completed, and there is an analysis to summarize. */
  get isSummaryDue(): boolean {
    return this.#isSummaryDue;
  }

  get hasSummary(): boolean {
    return this.#hasSummary;
  }

  /** A stage's position in the chain, from 0; of a stage that is not known, that of the last one. */
  positionOf(stageId: string): number {
    const index = this.#stages.get(stageId) ?? Infinity;
    const earlier = [...this.#stages.values()].filter((other) => other < index).length;
    return Math.min(earlier, this.plan.stages.length - 1);
  }

  /** True if the execution is the synthesis of its stage's results. */
  isSynthesis(executionId: string): boolean {
    const execution = this.#executions.get(executionId);
    return execution !== undefined && execution.agentIndex > this.agentsOf(execution.stageId);
  }

  /** True if the stage's results are synthesized, or were. */
  isSynthesized(stageId: string): boolean {
    const agents = this.agentsOf(stageId);
    return [...this.#executions.values()].some((one) => one.stageId === stageId && one.agentIndex > agents);
  }

  /** True if the stage follows the session's end; of an event, once the event or the rows are added. */
  isFollowUp(stageId: string): boolean {
    return this.#followUps.has(stageId);
  }

  /** Number of the stage's agents, without the synthesis. */
  agentsOf(stageId: string): number {
    if (this.isFollowUp(stageId)) return Infinity;
    return this.plan.stages[this.positionOf(stageId)]?.agents ?? Infinity;
  }

  /** The tool calls of an execution that have no result, oldest first. */
  callsWithoutResult(executionId: string): readonly string[] {
    return [...this.#calls]
      .filter(([call, execution]) => execution === executionId && !this.#answered.has(call))
      .map(([call]) => call);
  }

  #addStage({
    stage_id,
    stage_index,
    stage_type = "investigation",
  }: {
    readonly stage_id: string;
    readonly stage_index: number;
    /** Events of the chain's stages may lack it. */
    readonly stage_type?: StageType;
  }): void {
    if (isChainStage({ stage_type })) this.#stages.set(stage_id, stage_index);
    else this.#followUps.add(stage_id);
  }

  #addTimeline({
    event_type,
    event_id: eventId,
    execution_id: executionId,
    metadata,
  }: Extract<SessionEventPayload, { type: "timeline_event.created" }>): void {
    if (event_type === "executive_summary") this.#hasSummary = true;
    if (event_type === "llm_tool_call") this.#calls.set(eventId, executionId);
    if (event_type === "tool_result") this.#answered.add(callOfResult(metadata));
  }
}
