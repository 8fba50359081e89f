import { expect } from "chai";
import { DEFAULT_ORCHESTRATOR, storedChain, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { textHash } from "#shared/database/text-hash.ts";
import { changeConfig } from "../../../../test/support/change-config.ts";
import { resolvedAgent, resolvedChain, type ChainOptions } from "../resolved-chain.ts";
import type { RunFixture } from "../run-fixture.ts";
import { answerTurn, callStep, callTurn, type Strategy } from "../scripted-turns.ts";
import { CHILD, dispatches, ofChild } from "../sub-agent-fixture.ts";
import type { Feature } from "./feature.ts";

const AGENTS = ["Ann", "Ben", "Cem"] as const;
const STRATEGIES: readonly Strategy[] = ["react", "native-thinking"];
const SKILLS = {
  rules: "# Rules\n\nName the team.",
  logs: "Read the last lines first. <!-- END --> stays.",
  queries: "Write PromQL.",
} as const;

/** A session of a chain whose agents have more than the options say. */
const insertWith = async (
  { executor }: RunFixture,
  options: ChainOptions,
  more: Partial<ResolvedChain["stages"][number]["agents"][number]>,
) => {
  const chain = resolvedChain(options);
  const stages = chain.stages.map((stage) => ({
    ...stage,
    agents: stage.agents.map((agent) => ({ ...agent, ...more })),
  }));
  const id = await executor.insert();
  const values = [JSON.stringify(storedChain({ ...chain, stages }))];
  await changeConfig(executor, id, "$2::jsonb", { values });
  return id;
};

const chain: Feature = {
  name: "three stages of three agents",
  toolCalls: 9,
  start: async ({ runs }) => {
    await runs.play(
      { when: { contains: "Bring the results" }, steps: [{ thinking: "weighing" }, { text: "all agree" }] },
      { when: { call: 1 }, steps: [{ ...callStep("react", "k8s.pods", { n: 1 }), chunk_size: 12 }] },
      answerTurn("react"),
    );
    const stages = [AGENTS, AGENTS, AGENTS];
    return runs.executor.insert({ strategy: "react", servers: ["k8s"], stages, maxParallel: 3 });
  },
};

const subAgents: Feature = {
  name: "three sub-agents",
  toolCalls: 3,
  start: async ({ runs }) => {
    const strategy = "native-thinking";
    await runs.play(
      ofChild(callTurn(strategy, 1, "k8s.pods", { n: 1 })),
      ofChild(answerTurn(strategy, "pods are well")),
      dispatches(strategy, "job-a", "job-b", "job-c"),
      answerTurn(strategy, "it was the memory"),
    );
    const child = {
      ...resolvedAgent("Checker", strategy),
      custom_instructions: CHILD,
      description: "Checks one thing.",
      mcp_servers: ["k8s"],
    };
    const more = { sub_agents: [child], orchestrator: { ...DEFAULT_ORCHESTRATOR } };
    return insertWith(runs, { strategy, maxParallel: 1 }, more);
  },
  // How many results one answer of the model finds depends on when they come.
  expects: async ({ runs }, id) => {
    const children = await runs.executor.query(
      `SELECT status::text, delivered_at IS NOT NULL AS delivered FROM agent_executions
       WHERE session_id = $1 AND parent_execution_id IS NOT NULL`,
      [id],
    );
    expect(children).to.deep.equal(
      Array.from({ length: 3 }, () => ({ status: "completed", delivered: true })),
    );
    const heard = await runs.executor.query(
      `SELECT 1 FROM messages m JOIN agent_executions USING (execution_id)
       WHERE m.session_id = $1 AND parent_execution_id IS NULL AND content LIKE '%[Sub-agent completed]%'`,
      [id],
    );
    expect(heard).to.have.length(3);
  },
};

const skills = (strategy: Strategy): Feature => ({
  name: `skills (${strategy})`,
  toolCalls: 0,
  start: async ({ runs }) => {
    for (const body of Object.values(SKILLS)) {
      const insert = "INSERT INTO texts (hash, body) VALUES ($1, $2) ON CONFLICT DO NOTHING";
      await runs.executor.query(insert, [textHash(body), body]);
    }
    await runs.play(
      callTurn(strategy, 1, "load_skill", { names: ["logs", "nowhere"] }),
      callTurn(strategy, 2, "google:load_skill", { names: ["queries"] }),
      answerTurn(strategy),
    );
    const listed = (["logs", "queries"] as const).map((name) => ({
      name,
      description: `About ${name}.`,
      hash: textHash(SKILLS[name]),
    }));
    const required_skills = [{ name: "rules", hash: textHash(SKILLS.rules) }];
    return insertWith(runs, { strategy }, { required_skills, skills: listed });
  },
});

/** Chains of several agents, and what agents are given by their chain. */
export const CHAIN_FEATURES: readonly Feature[] = [
  chain,
  subAgents,
  ...STRATEGIES.map((strategy) => skills(strategy)),
];
