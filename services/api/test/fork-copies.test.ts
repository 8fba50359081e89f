import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { appendEvents } from "#shared/database/append-events.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ApiFixture } from "./api-fixture.ts";

const parseFork = compileParser("fork", Type.Object({ session_id: Type.String(), at_seq: Type.Integer() }));
const parseCopied = compileParser(
  "copied rows",
  Type.Object({ minutes: Type.Integer(), texts: Type.Array(Type.String()) }),
);

/** An agent that has worked for a minute when the event of the fork comes, ten minutes ago. */
const EXECUTION = {
  agent_name: "A",
  agent_index: 1,
  status: "active",
  iteration_strategy: "react",
  iteration_state: { iteration: 1 },
  llm_provider: "p",
  llm_backend: "langchain",
  model_name: "m",
  seq: 1,
};
const STAGE = {
  stage_name: "look",
  stage_index: 1,
  expected_agent_count: 1,
  stage_type: "investigation",
  status: "active",
};

describe("the rows of a fork", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start();
  });
  after(() => api[Symbol.asyncDispose]());

  const insert = async (table: string, row: Readonly<Record<string, unknown>>) =>
    api.servers.query(
      `INSERT INTO ${table} (${Object.keys(row).join()}) SELECT ${Object.keys(row).join()} FROM json_populate_record(NULL::${table}, $1)`,
      [JSON.stringify(row)],
    );
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

  /** With two large results that a tool-runner has stored, of which the agent has got one. */
  const investigate = async (): Promise<string> => {
    const session_id = await api.client.submit("x");
    const [stage_id, execution_id] = [randomUUID(), randomUUID()];
    const of = { session_id, stage_id, started_at: ago(11) };
    await insert("stages", { ...of, ...STAGE });
    await insert("agent_executions", { ...of, ...EXECUTION, execution_id });
    const [told, untold] = [randomUUID(), randomUUID()];
    for (const [content, call_id] of [
      ["told", told],
      ["untold", untold],
    ]) {
      await insert("tool_results", { call_id, session_id, bytes: 4, lines: 1, content, created_at: ago(11) });
    }
    await insert("mcp_interactions", {
      interaction_id: randomUUID(),
      session_id,
      stage_id,
      execution_id,
      created_at: ago(10),
      interaction_type: "tool_call",
      server_name: "k8s",
      tool_name: "dump",
      tool_result: { content: `[Cut: all of it is kept, id "${told}".]`, is_error: false },
      seq: 1,
    });
    await api.db.transaction(async (tx) =>
      appendEvents(tx, session_id, [{ type: "session.status", session_id, status: "in_progress" }]),
    );
    await api.servers.query("UPDATE events SET created_at = $2 WHERE session_id = $1", [session_id, ago(10)]);
    await api.servers.query("UPDATE alert_sessions SET created_at = $2 WHERE session_id = $1", [
      session_id,
      ago(12),
    ]);
    return session_id;
  };
  const fork = async (id: string): Promise<string> => {
    const { status, body } = await api.client.request("POST", `/api/v1/sessions/${id}/fork`, { at_seq: 1 });
    expect(status, JSON.stringify(body)).to.equal(202);
    return parseFork(body).session_id;
  };
  const copied = async (id: string) => {
    const [row] = await api.servers.query(
      `SELECT round(extract(epoch FROM now() - e.started_at) / 60)::int AS minutes,
         (SELECT coalesce(array_agg(content ORDER BY content), '{}') FROM tool_results WHERE session_id = $1) AS texts
       FROM agent_executions e WHERE e.session_id = $1`,
      [id],
    );
    return parseCopied(row);
  };

  it("leave the times of a stage in which only the synthesis has not ended", async () => {
    const parent = await investigate();
    await api.servers.query(
      "UPDATE agent_executions SET status = 'completed', completed_at = now() - interval '10 minutes' WHERE session_id = $1",
      [parent],
    );
    const forked = await fork(parent);
    const [row] = await api.servers.query(
      "SELECT s.started_at < e.completed_at AS ok FROM stages s JOIN agent_executions e USING (stage_id) WHERE s.session_id = $1",
      [forked],
    );
    expect(row).to.deep.equal({ ok: true });
  });

  it("have the times and the kept results of the step, also in a fork of a fork that has not begun", async () => {
    const parent = await investigate();
    const first = await fork(parent);
    expect(await copied(first)).to.deep.equal({ minutes: 1, texts: ["told"] });
    const second = await fork(first);
    expect(await copied(second)).to.deep.equal({ minutes: 1, texts: ["told"] });
  });
});
