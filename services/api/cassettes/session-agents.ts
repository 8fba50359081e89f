import {
  parseResolvedChain,
  type ResolvedAgent,
  type ResolvedChain,
  type ResolvedStage,
} from "#shared/contracts/resolved-chain.ts";
import { isChainStage } from "#shared/contracts/statuses.ts";
import type { AgentExecution } from "#shared/database/tables/agent-executions.ts";
import type { Stage } from "#shared/database/tables/stages.ts";
import type { CassetteRows } from "./load-cassette-rows.ts";

/** An execution's part of the configuration. */
export interface ConfiguredAgent {
  /** Undefined if the configuration has no such agent. */
  readonly agent: ResolvedAgent | undefined;
  readonly isSynthesis: boolean;
  readonly chain: ResolvedChain;
}

/** Finds the configuration of each execution in that of its session or its follow-up. Throws as `parseResolvedChain`. */
export class SessionAgents {
  readonly #chain: ResolvedChain;
  readonly #ofFollowUps: ReadonlyMap<string, ResolvedChain>;
  readonly #stages: ReadonlyMap<string, Stage>;
  readonly #executions: ReadonlyMap<string, AgentExecution>;

  constructor({ session, followUps, stages, executions }: CassetteRows) {
    this.#chain = parseResolvedChain(session.resolved_config);
    this.#ofFollowUps = new Map(
      followUps.map(({ stage_id, resolved_config }) => [stage_id, parseResolvedChain(resolved_config)]),
    );
    this.#stages = new Map(stages.map((stage) => [stage.stage_id, stage]));
    this.#executions = new Map(executions.map((execution) => [execution.execution_id, execution]));
  }

  find(execution: AgentExecution): ConfiguredAgent {
    const chain = this.#ofFollowUps.get(execution.stage_id) ?? this.#chain;
    const parent = this.#executions.get(execution.parent_execution_id ?? "");
    if (parent !== undefined) {
      const { agent } = this.find(parent);
      const agent_ = agent?.sub_agents?.find(({ name }) => name === execution.agent_name);
      return { agent: agent_, isSynthesis: false, chain };
    }
    const { agents = [], synthesis } = this.#planOf(execution.stage_id, chain) ?? {};
    // The execution after a stage's agents is its synthesis.
    const isSynthesis = execution.agent_index > agents.length && synthesis !== undefined;
    return { agent: isSynthesis ? synthesis : agents[execution.agent_index - 1], isSynthesis, chain };
  }

  #planOf(stageId: string, chain: ResolvedChain): ResolvedStage | undefined {
    const stage = this.#stages.get(stageId);
    if (stage === undefined) return undefined;
    // A follow-up has a chain of one stage.
    return isChainStage(stage) ? chain.stages[stage.stage_index - 1] : chain.stages[0];
  }
}
