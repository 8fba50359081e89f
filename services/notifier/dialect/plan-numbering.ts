import { uuidFrom } from "#shared/uuid-from.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { shownStages, synthesisStageId, type ShownStageType } from "#shared/contract-view/shown-stages.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ITERATION_STRATEGIES, isActionAgent } from "#shared/contracts/resolved-chain.ts";

/** The members of a stage of a chain that the numbering needs. Other properties, which other versions may have, are not read. */
const StageInPlan = Type.Object({
  name: Type.String(),
  agents: Type.Array(
    Type.Object({ type: Type.Optional(Type.Unknown()), iteration_strategy: Type.Optional(Type.Unknown()) }),
  ),
  synthesis: Type.Optional(Type.Unknown()),
});
type StageInPlan = Static<typeof StageInPlan>;

const parseStored = compileParser(
  "stages of a stored chain",
  Type.Array(Type.Union([StageInPlan, Type.Null()])),
);

/** The stages of a stored chain, whose list begins with null; throws TerminalError `malformed`. */
export function parsePlannedStages(stored: unknown): StageInPlan[] {
  return parseStored(stored).filter((stage) => stage !== null);
}

/** A stage as clients of the contract see it, before it has a row. */
export interface NumberedStage {
  /** Counts from 1 over all shown stages. */
  readonly index: number;
  readonly name: string;
  readonly type: ShownStageType;
}

/** The shown stages of one stage of the chain. */
interface NumberedChainStage extends NumberedStage {
  /** Number of its agents, without the synthesis. */
  readonly agents: number;
  /** Null for a stage without one. */
  readonly synthesis: NumberedStage | null;
}

/** The numbering of a session's shown stages if nothing fails; what is shown of it after a failure has the same numbers. */
export interface PlanNumbering {
  /** Keyed by position in the chain. */
  readonly stages: readonly NumberedChainStage[];
  readonly summary: NumberedStage;
  readonly total: number;
}

/** Numbers the stages of a session's chain. */
export function numberPlan(sessionId: string, plan: readonly StageInPlan[]): PlanNumbering {
  const rows = plan.map(({ name, agents }, position) => ({
    stage_id: uuidFrom(`planned:${position}`, sessionId),
    stage_name: name,
    stage_index: position,
    stage_type: agents.every(isAction) ? ("action" as const) : ("investigation" as const),
    status: "completed" as const,
    expected_agent_count: agents.length,
  }));
  const executions = rows.flatMap(({ stage_id, expected_agent_count }, position) =>
    plan[position]?.synthesis === undefined
      ? []
      : [{ stage_id, agent_index: expected_agent_count + 1, status: "completed" as const }],
  );
  const shown = shownStages(sessionId, { stages: rows, executions }, "completed").map((stage) => ({
    id: stage.stage_id,
    numbered: { index: stage.stage_index, name: stage.stage_name, type: stage.stage_type },
  }));
  const byId = new Map(shown.map(({ id, numbered }) => [id, numbered]));
  const summary = { index: shown.length, name: "", type: "exec_summary" } as const;
  return {
    stages: rows.map(
      ({ stage_id, stage_name: name, stage_type: type, expected_agent_count: agents }, index) => ({
        ...(byId.get(stage_id) ?? { index: index + 1, name, type }),
        agents,
        synthesis: byId.get(synthesisStageId(stage_id)) ?? null,
      }),
    ),
    summary: shown.at(-1)?.numbered ?? summary,
    total: shown.length,
  };
}

function isAction(agent: StageInPlan["agents"][number]): boolean {
  const strategy = ITERATION_STRATEGIES.find((one) => one === agent.iteration_strategy);
  return (
    agent.type === "action" &&
    isActionAgent({ type: "action", ...(strategy === undefined ? {} : { iteration_strategy: strategy }) })
  );
}
