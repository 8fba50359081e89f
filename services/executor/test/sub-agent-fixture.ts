import {
  DEFAULT_ORCHESTRATOR,
  storedChain,
  type ResolvedOrchestrator,
} from "#shared/contracts/resolved-chain.ts";
import { changeConfig } from "../../../test/support/change-config.ts";
import { resolvedAgent, resolvedChain } from "./resolved-chain.ts";
import { RunFixture } from "./run-fixture.ts";
import { callStep, type Strategy } from "./scripted-turns.ts";
import { ToolRunnerFixture } from "./tool-runner-fixture.ts";
import { installWritePoints, type WritePoints } from "./write-points.ts";

interface Given {
  readonly strategy?: Strategy;
  readonly limits?: Partial<ResolvedOrchestrator>;
  readonly maxIterations?: number;
  readonly maxParallel?: number;
  readonly servers?: readonly string[];
  readonly childServers?: readonly string[];
  readonly childType?: "action";
  /** As for `resolvedChain`; each agent may start the sub-agent. */
  readonly stages?: readonly (readonly string[])[];
}

/** The instructions of the sub-agent. */
export const CHILD = "You check one thing.";
/** A script's turn of the sub-agent whose conversation has these texts. */
export const ofChild = (
  turn: { readonly steps: readonly object[]; readonly when?: object },
  ...texts: string[]
) => ({
  ...turn,
  when: { ...turn.when, contains: [CHILD, ...texts] },
});
/** The first turn of an agent that starts a sub-agent for each task. */
export const dispatches = (strategy: Strategy, ...tasks: string[]) => ({
  when: { call: 1 },
  steps: tasks.map((task) => callStep(strategy, "dispatch_agent", { name: "Checker", task })),
});

/** Runs an agent `TestAgent` that may start the sub-agent `Checker`. */
export class SubAgentFixture implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack;
  readonly runs: RunFixture;
  readonly tools: ToolRunnerFixture;
  readonly loseLeaseAtWrite: WritePoints["kill"];

  private constructor(
    parts: Pick<SubAgentFixture, "runs" | "tools" | "loseLeaseAtWrite"> & { resources: AsyncDisposableStack },
  ) {
    this.#resources = parts.resources;
    this.runs = parts.runs;
    this.tools = parts.tools;
    this.loseLeaseAtWrite = parts.loseLeaseAtWrite;
  }

  /** `others` as in `RunFixture`. */
  static async start(others: readonly string[] = []): Promise<SubAgentFixture> {
    const resources = new AsyncDisposableStack();
    const runs = resources.use(await RunFixture.start({ others }));
    const tools = resources.use(await ToolRunnerFixture.start(runs.executor.servers));
    const { kill: loseLeaseAtWrite } = await installWritePoints(runs.executor);
    return new SubAgentFixture({ resources, runs, tools, loseLeaseAtWrite });
  }

  async insert(given: Given = {}) {
    const { strategy = "native-thinking", limits = {}, maxIterations = 20, maxParallel = 5 } = given;
    const chain = resolvedChain({
      strategy,
      maxIterations,
      maxParallel,
      servers: given.servers ?? [],
      ...(given.stages === undefined ? {} : { stages: given.stages }),
    });
    const child = {
      ...resolvedAgent("Checker", strategy),
      ...(given.childType === undefined ? {} : { type: given.childType }),
      custom_instructions: CHILD,
      description: "Checks one thing.",
      mcp_servers: [...(given.childServers ?? [])],
    };
    const stages = chain.stages.map((stage) => ({
      ...stage,
      agents: stage.agents.map((agent) => ({
        ...agent,
        sub_agents: [child],
        orchestrator: { ...DEFAULT_ORCHESTRATOR, ...limits },
      })),
    }));
    const id = await this.runs.executor.insert();
    const values = [JSON.stringify(storedChain({ ...chain, stages }))];
    await changeConfig(this.runs.executor, id, "$2::jsonb", { values });
    return id;
  }

  async children(id: string) {
    return this.runs.executor.query(
      `SELECT agent_index, status::text, task, delivered_at IS NOT NULL AS delivered, error_message
       FROM agent_executions WHERE session_id = $1 AND parent_execution_id IS NOT NULL ORDER BY agent_index`,
      [id],
    );
  }
  /** What the parent got, without ids and codes. */
  async told(id: string) {
    const rows = await this.runs.executor.query(
      `SELECT role::text, content FROM messages m JOIN agent_executions e USING (execution_id)
       WHERE m.session_id = $1 AND parent_execution_id IS NULL ORDER BY sequence_number`,
      [id],
    );
    return rows.map((row) => JSON.stringify(row));
  }

  async status(id: string) {
    return this.runs.executor.query(
      `SELECT s.status::text AS session, g.status::text AS stage, s.final_analysis
       FROM alert_sessions s JOIN stages g USING (session_id) WHERE session_id = $1`,
      [id],
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}
