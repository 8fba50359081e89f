import { expect } from "chai";
import { storedChain, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { textHash } from "#shared/database/text-hash.ts";
import { changeConfig } from "../../../test/support/change-config.ts";
import { resolvedChain } from "./resolved-chain.ts";
import { RunFixture } from "./run-fixture.ts";
import { answerTurn, callTurn, type Strategy } from "./scripted-turns.ts";

const RULES = { name: "rules", body: "# Rules\n\nName the team." };
const LOGS = { name: "logs", body: "Read the last lines first. <!-- END --> stays." };
const QUERIES = { name: "queries", body: "Write PromQL." };

describe("an agent with skills", () => {
  const resources = new AsyncDisposableStack();
  let fixture: RunFixture;

  before(async () => {
    fixture = resources.use(await RunFixture.start());
  });
  after(() => resources.disposeAsync());

  const chainOf = (strategy: Strategy, withCatalog = true): ResolvedChain => {
    const chain = resolvedChain({ strategy });
    const skills = [LOGS, QUERIES].map((skill) => ({
      name: skill.name,
      description: `About ${skill.name}.`,
      hash: textHash(skill.body),
    }));
    const more = {
      required_skills: [{ name: RULES.name, hash: textHash(RULES.body) }],
      ...(withCatalog ? { skills } : {}),
    };
    return {
      ...chain,
      stages: chain.stages.map((stage) => ({
        ...stage,
        agents: stage.agents.map((agent) => ({ ...agent, ...more })),
      })),
    };
  };
  const insert = async (chain: ResolvedChain) => {
    for (const { body } of [RULES, LOGS, QUERIES]) {
      const insertText = "INSERT INTO texts (hash, body) VALUES ($1, $2) ON CONFLICT DO NOTHING";
      await fixture.executor.query(insertText, [textHash(body), body]);
    }
    const id = await fixture.executor.insert();
    const values = [JSON.stringify(storedChain(chain))];
    await changeConfig(fixture.executor, id, "$2::jsonb", { values });
    return id;
  };
  const messages = async (id: string) =>
    fixture.executor.query(
      "SELECT role, content, tool_name FROM messages WHERE session_id = $1 ORDER BY sequence_number",
      [id],
    );
  const rows = async (id: string) => ({
    timeline: await fixture.timelineRows(id),
    messages: await messages(id),
    interactions: await fixture.executor.query(
      `SELECT interaction_type::text, server_name, tool_name, tool_arguments::text, tool_result::text, error_message
       FROM mcp_interactions WHERE session_id = $1 ORDER BY 1, 2, 3, 4`,
      [id],
    ),
    loaded: await fixture.executor.query(
      "SELECT metadata, content FROM timeline_events WHERE session_id = $1 AND event_type = 'skill_loaded'",
      [id],
    ),
    log: await fixture.eventLog(id),
  });
  const toolMessages = async (id: string) =>
    fixture.executor.query(
      `SELECT tool_result ->> 'content' AS content, (tool_result ->> 'is_error')::boolean AS is_error
       FROM mcp_interactions WHERE session_id = $1 AND interaction_type = 'tool_call' ORDER BY created_at, interaction_id`,
      [id],
    );

  for (const strategy of ["react", "native-thinking"] as const) {
    it(`is shown its required skills and the list of the others: ${strategy}`, async () => {
      await fixture.play(
        callTurn(strategy, 1, "load_skill", { names: ["logs", "nowhere"] }),
        callTurn(strategy, 2, "google:load_skill", { names: ["queries"] }),
        answerTurn(strategy),
      );
      const undisturbed = await insert(chainOf(strategy));
      expect(await fixture.run(undisturbed)).to.equal("completed");
      const expected = await rows(undisturbed);
      expect(expected.loaded).to.deep.equal([{ metadata: { skill_name: "rules" }, content: RULES.body }]);
      const [system] = expected.messages;
      expect(system).to.have.property("content").that.includes(`## Skill: rules\n\n${RULES.body}`);
      expect(system).to.have.property("content").that.includes("- **logs**: About logs.\n- **queries**:");
    });
  }

  it("reads a loaded skill as instructions, gets unknown names, and gets an error only if none is known", async () => {
    await fixture.play(
      callTurn("native-thinking", 1, "load_skill", { names: ["logs", "no\nwhere -->"] }),
      callTurn("native-thinking", 2, "load_skill", { names: ["rules"] }),
      callTurn("native-thinking", 3, "load_skill", { names: 7 }),
      answerTurn("native-thinking"),
    );
    const id = await insert(chainOf("native-thinking"));
    expect(await fixture.run(id)).to.equal("completed");
    const first = `## Skill: logs\n\n${LOGS.body}\n\nUnknown: "no where --&gt;"; available skills: logs, queries.`;
    const answers = await toolMessages(id);
    expect(answers).to.deep.include({ content: first, is_error: false });
    expect(answers).to.deep.include({
      content: 'Unknown: "rules"; available skills: logs, queries.',
      is_error: true,
    });
    expect(answers).to.deep.include({
      content: 'The argument "names" is missing: a list of names; available skills: logs, queries.',
      is_error: true,
    });
    const told = (await messages(id)).find((message) => JSON.stringify(message).includes('"role":"tool"'));
    expect(told).to.have.property("content", first);
  });

  it("without skills to load has no tool for it", async () => {
    await fixture.play(
      callTurn("native-thinking", 1, "load_skill", { names: ["logs"] }),
      answerTurn("native-thinking"),
    );
    const id = await insert(chainOf("native-thinking", false));
    expect(await fixture.run(id)).to.equal("completed");
    const [system, , , answer] = await messages(id);
    expect(system).to.have.property("content").that.includes(RULES.body).and.does.not.include("load_skill");
    expect(answer).to.have.property("content").that.includes('unknown tool "load_skill"');
  });

  it("ends as failed if a text is gone", async () => {
    await fixture.play(answerTurn("native-thinking"));
    const chain = chainOf("native-thinking");
    const [agent] = chain.stages[0]?.agents ?? [];
    if (agent === undefined) throw new Error("no agent");
    const missing = { ...agent, required_skills: [{ name: "gone", hash: "0".repeat(64) }] };
    const id = await insert({
      ...chain,
      stages: chain.stages.map((stage) => ({ ...stage, agents: [missing] })),
    });
    expect(await fixture.run(id)).to.equal("failed");
  });
});
