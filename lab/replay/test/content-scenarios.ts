import { storedChain } from "#shared/contracts/resolved-chain.ts";
import { textHash } from "#shared/database/text-hash.ts";
import { changeConfig } from "../../../test/support/change-config.ts";
import { resolvedChain } from "../../../services/executor/test/resolved-chain.ts";
import {
  answerTurn,
  callStep,
  callTurn,
  type Strategy,
} from "../../../services/executor/test/scripted-turns.ts";
import type { RecordingFixture } from "./recording-fixture.ts";
import type { Scenario } from "./scenarios.ts";

const strategyOf = (variant: number): Strategy => (variant % 2 === 0 ? "native-thinking" : "react");
const USAGE = { usage: { input_tokens: 1_000_000, output_tokens: 10, thinking_tokens: 2 } };

/** Sessions whose prompts and answers have parts of every kind. */
export const CONTENT_SCENARIOS: readonly Scenario[] = [
  {
    name: "agents that answer at once",
    record: async (recording) => {
      await recording.runs.play({
        steps: [{ thinking: "hm" }, { text: "# It was\n\nthe memory 💾" }, USAGE],
      });
      return recording.session({ stages: [["One"], ["Two"]] });
    },
  },
  {
    name: "tools of the provider",
    record: async (recording) => {
      await recording.runs.play({
        steps: [
          { thinking: "hm" },
          { code_execution: { code: "print(1)", result: "1" } },
          {
            grounding: {
              web_search_queries: ["q"],
              grounding_chunks: [{ uri: "https://a.example", title: "A" }],
            },
          },
          { text: "found it" },
          USAGE,
        ],
      });
      return recording.session({
        strategy: "native-thinking",
        nativeTools: ["google_search", "code_execution"],
        stages: [["One"], ["Two"]],
      });
    },
  },
  {
    name: "an action agent",
    record: async (recording, variant) => {
      const strategy = strategyOf(variant);
      const word = variant % 3 === 0 ? "YES" : "NO";
      await recording.runs.play(
        callTurn(strategy, 1, "k8s.restart", {}),
        answerTurn(strategy, `The pod was restarted.\n\n${word}`),
      );
      return recording.session({
        strategy,
        servers: ["k8s"],
        agentType: "action",
        stages: [["One"], ["Two"]],
      });
    },
  },
  {
    name: "answers that are no answers",
    record: async (recording) => {
      await recording.runs.play(
        { when: { call: 1 }, steps: [{ text: "I would look at the pods." }] },
        { when: { call: 2 }, steps: [{ text: "Action: k8s.pods" }] },
        { when: { call: 3 }, steps: [{ text: "Thought: hm\nAction: k8s.pods\nAction Input: {bad" }] },
        answerTurn("react"),
      );
      return recording.session({ strategy: "react", servers: ["k8s"], maxIterations: 5 });
    },
  },
  {
    name: "an agent at its limit",
    record: async (recording, variant) => {
      const strategy = strategyOf(variant);
      await recording.runs.play(
        { when: { contains: "Conclude now" }, ...answerTurn(strategy, "as far as I know") },
        { steps: [{ thinking: "hm" }, callStep(strategy, "k8s.pods", { n: 1 })] },
      );
      return recording.session({ strategy, servers: ["k8s"], maxIterations: 4 });
    },
  },
  {
    name: "an agent with skills and a variable",
    record: async (recording, variant) => recordSkills(recording, strategyOf(variant)),
  },
  {
    name: "a runbook that was fetched",
    record: async (recording) => {
      await recording.runs.play(answerTurn("native-thinking"));
      const { executor } = recording.runs;
      const id = await executor.insert({ strategy: "native-thinking" });
      const body = "# Runbook\nLook at the disks.";
      await executor.query("INSERT INTO texts (hash, body) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
        textHash(body),
        body,
      ]);
      await executor.query("UPDATE alert_sessions SET runbook_url = $2 WHERE session_id = $1", [
        id,
        "https://runbooks.example/disk.md",
      ]);
      await executor.query("INSERT INTO session_runbooks (session_id, hash) VALUES ($1, $2)", [
        id,
        textHash(body),
      ]);
      await recording.runToEnd(id);
      return id;
    },
  },
  {
    name: "tools that are searched for",
    record: async (recording, variant) => {
      const strategy = strategyOf(variant);
      await recording.runs.play(
        callTurn(strategy, 1, "wide.get_item_7", {}),
        callTurn(strategy, 2, "tool_search", { query: "item 42" }),
        callTurn(strategy, 3, "wide.get_item_42", {}),
        answerTurn(strategy),
      );
      return recording.session({ strategy, servers: ["k8s", "wide"] });
    },
  },
  {
    name: "a budget that is used up",
    record: async (recording, variant) => {
      const strategy = strategyOf(variant);
      await recording.runs.play(
        { when: { contains: "budget" }, ...answerTurn(strategy, "as far as I know") },
        { steps: [callStep(strategy, "k8s.pods", { n: 1 }), USAGE] },
      );
      return recording.session({
        strategy,
        servers: ["k8s"],
        budgets: { session: { tokens: 3_500_000, soft_ratio: 0.8 } },
      });
    },
  },
];

const LOGS = {
  name: "logs",
  description: "How to read logs.",
  body: "# Logs\nRead the last lines of {{.REGION}}.",
};
const RULES = { name: "rules", description: "The rules.", body: "# Rules\nNever delete anything." };

async function recordSkills(recording: RecordingFixture, strategy: Strategy): Promise<string> {
  const { executor } = recording.runs;
  await recording.runs.play(callTurn(strategy, 1, "load_skill", { names: ["logs"] }), answerTurn(strategy));
  for (const { body } of [LOGS, RULES]) {
    await executor.query("INSERT INTO texts (hash, body) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
      textHash(body),
      body,
    ]);
  }
  const refs = [LOGS, RULES].map(({ name, description, body }) => ({
    name,
    description,
    hash: textHash(body),
  }));
  const [logs, rules] = refs;
  if (logs === undefined || rules === undefined) throw new Error("no skills");
  const chain = resolvedChain({ strategy });
  const stages = chain.stages.map((stage) => ({
    ...stage,
    agents: stage.agents.map((agent) => ({
      ...agent,
      custom_instructions: "You are in {{.REGION}}.",
      skills: [logs],
      required_skills: [{ name: rules.name, hash: rules.hash }],
    })),
  }));
  const id = await executor.insert();
  const values = [JSON.stringify(storedChain({ ...chain, stages, variables: ["REGION"] }))];
  await changeConfig(executor, id, "$2::jsonb", { values });
  const needed = "INSERT INTO needed_texts (session_id, hash) SELECT $1, unnest($2::text[])";
  await executor.query(needed, [id, refs.map(({ hash }) => hash)]);
  await recording.runToEnd(id, { readVariable: () => "Frankfurt" });
  return id;
}
