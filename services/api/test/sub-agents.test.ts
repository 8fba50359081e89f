import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ApiFixture } from "./api-fixture.ts";
import { seedSession } from "./seed-sessions.ts";

const Numbers = {
  total_tokens: Type.Integer(),
  estimated_cost_usd: Type.Optional(Type.Number()),
  unpriced_interaction_count: Type.Optional(Type.Integer()),
};
const Child = Type.Object({
  execution_id: Type.String(),
  parent_execution_id: Type.String(),
  agent_name: Type.String(),
  task: Type.String(),
  ...Numbers,
});
const parseSession = compileParser(
  "session",
  Type.Object({
    total_stages: Type.Integer(),
    stages: Type.Array(
      Type.Object({
        stage_type: Type.String(),
        executions: Type.Array(
          Type.Object({
            execution_id: Type.String(),
            sub_agents: Type.Optional(Type.Array(Child)),
            ...Numbers,
          }),
        ),
      }),
    ),
    timeline: Type.Array(
      Type.Object({ content: Type.String(), parent_execution_id: Type.Optional(Type.String()) }),
    ),
  }),
);
const parseTimeline = compileParser(
  "timeline",
  Type.Array(
    Type.Object({
      content: Type.Optional(Type.String()),
      execution_id: Type.Optional(Type.String()),
      parent_execution_id: Type.Optional(Type.String()),
    }),
  ),
);
const parseTrace = compileParser(
  "trace",
  Type.Object({
    stages: Type.Array(
      Type.Object({
        executions: Type.Array(
          Type.Object({
            agent_name: Type.String(),
            execution_id: Type.String(),
            sub_agents: Type.Optional(
              Type.Array(Type.Object({ agent_name: Type.String(), parent_execution_id: Type.String() })),
            ),
          }),
        ),
      }),
    ),
  }),
);
const parseList = compileParser(
  "list",
  Type.Object({
    sessions: Type.Array(
      Type.Object({ id: Type.String(), has_sub_agents: Type.Boolean(), current_stage_id: Type.String() }),
    ),
  }),
);
const parseRow = compileParser(
  "execution row",
  Type.Object({ execution_id: Type.String(), stage_id: Type.String() }),
);

const INSERT_CHILD = `
INSERT INTO agent_executions (execution_id, stage_id, session_id, parent_execution_id, task, agent_name, agent_index,
  iteration_strategy, iteration_state, llm_provider, status, total_tokens, estimated_cost_usd, priced_interaction_count)
SELECT $2, stage_id, session_id, execution_id, $4, $5, $3, 'react', '{"iteration":1}', 'scripted', 'completed', 10, 0.1, 1
FROM agent_executions WHERE execution_id = $1`;

describe("agents that another agent has started, in the views of a session", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start();
  });
  after(() => api[Symbol.asyncDispose]());

  /** A session with an agent that has started two others: more than its stage has agents. */
  const seeded = async () => {
    const id = await seedSession(api.servers, { status: "in_progress", timeline: ["of the parent"] });
    const [row] = await api.servers.query(
      `UPDATE agent_executions SET total_tokens = 5, estimated_cost_usd = 0.2, priced_interaction_count = 1, status = 'active'
       WHERE session_id = $1 RETURNING execution_id, stage_id`,
      [id],
    );
    const { execution_id: parent, stage_id: stage } = parseRow(row);
    await api.servers.query(
      "UPDATE alert_sessions SET current_stage_id = $2, current_stage_index = 1 WHERE session_id = $1",
      [id, stage],
    );
    const children = [randomUUID(), randomUUID()] as const;
    for (const [index, child] of children.entries()) {
      const name = index === 0 ? "Logs" : "Metrics";
      await api.servers.query(INSERT_CHILD, [parent, child, index + 1, `look at ${name}`, name]);
    }
    await api.servers.query(
      `INSERT INTO timeline_events (event_id, session_id, stage_id, execution_id, sequence_number, event_type, status, content, seq)
       VALUES ($1, $2, $3, $4, 1, 'task_assigned', 'completed', 'look at Metrics', 1)`,
      [randomUUID(), id, stage, children[1]],
    );
    return { id, parent, stage, children };
  };
  const get = async (path: string): Promise<unknown> =>
    JSON.parse((await api.raw("GET", `/api/v1/sessions/${path}`, {})).text);

  it("stand below their parent, whose tokens and costs include theirs, and are no synthesis", async () => {
    const { id, parent, children } = await seeded();
    const { stages, timeline, total_stages } = parseSession(await get(id));
    expect(stages.map(({ stage_type }) => stage_type)).to.deep.equal(["investigation"]);
    const [execution, ...others] = stages[0]?.executions ?? [];
    expect(others).to.deep.equal([]);
    expect(execution).to.include({ execution_id: parent, total_tokens: 25, estimated_cost_usd: 0.4 });
    const brief = execution?.sub_agents?.map((child) => [
      child.execution_id,
      child.parent_execution_id,
      child.agent_name,
      child.task,
      child.total_tokens,
      child.estimated_cost_usd,
    ]);
    expect(brief).to.deep.equal([
      [children[0], parent, "Logs", "look at Logs", 10, 0.1],
      [children[1], parent, "Metrics", "look at Metrics", 10, 0.1],
    ]);
    const parents = timeline.map(({ content, parent_execution_id: of }) => [content, of]);
    expect(parents).to.have.deep.members([
      ["of the parent", undefined],
      ["look at Metrics", parent],
    ]);
    expect(total_stages).to.equal(2);
  });

  it("are named with their parent in the timeline, and below it in the trace", async () => {
    const { id, parent, children } = await seeded();
    const entry = parseTimeline(await get(`${id}/timeline`)).find(
      ({ content }) => content === "look at Metrics",
    );
    expect(entry).to.include({ execution_id: children[1], parent_execution_id: parent });
    const { stages } = parseTrace(await get(`${id}/trace`));
    expect(
      stages[0]?.executions.map(({ agent_name, sub_agents = [] }) => [
        agent_name,
        sub_agents.map((one) => [one.agent_name, one.parent_execution_id]),
      ]),
    ).to.deep.equal([
      [
        "agent",
        [
          ["Logs", parent],
          ["Metrics", parent],
        ],
      ],
    ]);
  });

  it("are counted in lists, where the current stage stays the one of their parent", async () => {
    const { id, stage } = await seeded();
    const without = await seedSession(api.servers, { status: "in_progress" });
    await api.servers.query(
      "UPDATE alert_sessions SET current_stage_id = (SELECT stage_id FROM stages g WHERE g.session_id = $1) WHERE session_id = $1",
      [without],
    );
    const { text } = await api.raw("GET", "/api/v1/sessions?status=in_progress", {});
    const { sessions } = parseList(JSON.parse(text));
    expect(sessions.find((session) => session.id === id)).to.include({
      has_sub_agents: true,
      current_stage_id: stage,
    });
    expect(sessions.find((session) => session.id === without)).to.include({ has_sub_agents: false });
  });
});
