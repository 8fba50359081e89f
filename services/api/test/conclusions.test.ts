import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { WebhookMessage } from "#shared/contracts/webhook-message.ts";
import { until } from "../../../test/support/until.ts";
import { connectMcp } from "./mcp-fixture.ts";
import { NotificationsFixture } from "./notifications-fixture.ts";

const parseMessage = compileParser("webhook", WebhookMessage);
const parseSeeded = compileParser(
  "seeded ids",
  Type.Object({ entry: Type.String(), call: Type.String(), execution: Type.String() }),
);

const parseWarnings = compileParser(
  "warnings",
  Type.Object({
    warnings: Type.Array(Type.Object({ id: Type.String(), message: Type.String(), details: Type.String() })),
  }),
);

/** An agent with one tool call and its entry, and a conclusion at event 2, corrected at event 3. */
const SEED = `
WITH stage AS (
  INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count)
  VALUES (gen_random_uuid(), $1, 'analysis', 1, 1) RETURNING stage_id
), execution AS (
  INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy,
                                iteration_state, llm_provider, model_name)
  SELECT gen_random_uuid(), stage_id, $1, 'Pods', 1, 'react', '{"iteration":1}', 'scripted', $3 FROM stage
  RETURNING stage_id, execution_id
), call AS (
  INSERT INTO mcp_interactions (interaction_id, session_id, stage_id, execution_id, interaction_type, server_name)
  SELECT gen_random_uuid(), $1, stage_id, execution_id, 'tool_call', 's' FROM execution RETURNING interaction_id
), entry AS (
  INSERT INTO timeline_events (event_id, session_id, stage_id, execution_id, sequence_number, event_type, status, content,
                               mcp_interaction_id)
  SELECT gen_random_uuid(), $1, stage_id, execution_id, 1, 'llm_tool_call', 'completed', '{}', interaction_id
  FROM execution, call RETURNING event_id
), stored AS (
  INSERT INTO conclusions (execution_id, attempt, session_id, contract, rules, status, stated_status, confidence, body, remarks,
                           checked, claims_verified, claims_total, seq)
  SELECT execution_id, c.attempt, $1, 'rca.v1', 1, c.status, 'confirmed', 80, c.body,
         CASE WHEN c.status = 'unchecked' THEN '["It stated none."]'::jsonb ELSE '[]' END,
         replace(c.checked::text, '"CALL"', to_json(interaction_id)::text)::jsonb, 1, c.total, c.seq
  FROM execution, call, jsonb_to_recordset($2::jsonb)
    AS c(attempt int, status text, body jsonb, checked jsonb, total int, seq int)
)
SELECT event_id::text AS entry, interaction_id::text AS call, execution_id::text AS execution FROM entry, call, execution`;

const CAUSE = { entity: "pod/a", kind: "load", code: "", statement: "the *load* <rose>" };
const claim = (id: string) => ({
  id,
  cause: 1,
  text: `claim ${id}`,
  source: "r1",
  lines: "",
  quote: `quote ${id}`,
});
const body = (ids: readonly string[]) => ({
  status: "confirmed",
  summary: "it was the load",
  confidence: 80,
  causes: [CAUSE],
  claims: ids.map(claim),
  ruled_out: [{ theory: "DNS", because: "it resolves", source: "r1", lines: "", quote: "quote out" }],
  gaps: [],
  next_checks: [],
});
const outcome = (claim_id: string, list: string, found: string, interaction_id: string | null) => ({
  claim_id,
  list,
  outcome: found,
  note: null,
  source: "r1",
  interaction_id,
  line_from: 3,
  line_to: 3,
  at_text: "the line",
  found_in: null,
});
const FIRST = {
  attempt: 1,
  status: "likely",
  total: 2,
  seq: 2,
  body: body(["c1", "c2"]),
  checked: [outcome("c1", "claim", "verified", "CALL"), outcome("c2", "claim", "absent", null)],
};
const SECOND = {
  attempt: 2,
  status: "confirmed",
  total: 1,
  seq: 3,
  body: body(["c1"]),
  checked: [
    outcome("c1", "claim", "verified", "CALL"),
    outcome("out1", "ruled_out", "altered", "CALL"),
    outcome("c2", "dropped", "absent", null),
  ],
};
const UNREAD = { attempt: 1, status: "unchecked", total: 0, seq: 2, body: null, checked: [] };

describe("the conclusion of a session whose quotes were compared", () => {
  let fixture: NotificationsFixture;

  before(async () => {
    fixture = await NotificationsFixture.start({ events: ["session.started", "session.ended"] });
  });
  after(() => fixture[Symbol.asyncDispose]());

  const seededBy = async (model: string, ...attempts: readonly object[]) => {
    const id = await fixture.submit();
    const [row] = await fixture.api.servers.query(SEED, [id, JSON.stringify(attempts), model]);
    return { id, ...parseSeeded(row) };
  };
  const seeded = async (...attempts: readonly object[]) => seededBy("model-of-tests", ...attempts);
  const told = async (id: string) => {
    await fixture.begin(id);
    await fixture.end(id, "completed", { summary: "in short" });
    const sending = fixture.send();
    await until("all is sent", async () => {
      await fixture.hurry();
      return (await fixture.rows(id)).every(({ state }) => state === "sent");
    });
    await sending.stop();
    const messages = fixture.received(id).map((one) => parseMessage(JSON.parse(one.body)));
    const texts = fixture.posted(id).map((message) => JSON.stringify(message.blocks));
    return { messages, bodies: fixture.received(id).map((one) => one.body), texts };
  };

  it("has each claim with its outcome, the entry of its call, and what the correction left out", async () => {
    const { id, entry, call } = await seeded(FIRST, SECOND);
    const { status, body: answer } = await fixture.api.client.request(
      "GET",
      `/api/v1/sessions/${id}/conclusion`,
    );
    expect(status).to.equal(200);
    expect(answer).to.include({ attempt: 2, status: "confirmed", agent_name: "Pods", claims_verified: 1 });
    const checked = { note: null, line_from: 3, line_to: 3, at_text: "the line", found_in: null };
    const shown = { ...checked, interaction_id: call, event_id: entry };
    expect(answer["claims"]).to.deep.equal([{ ...claim("c1"), outcome: "verified", ...shown }]);
    const [out] = body([]).ruled_out;
    expect(answer["ruled_out"]).to.deep.equal([{ ...out, outcome: "altered", ...shown }]);
    expect(answer["dropped"]).to.deep.equal([
      { ...claim("c2"), outcome: "absent", ...checked, interaction_id: null, event_id: null },
    ]);
  });

  it("is read over MCP with each claim, its outcome and its line", async () => {
    const { id } = await seeded(FIRST, SECOND);
    const client = await connectMcp(`http://127.0.0.1:${fixture.api.port}`, fixture.api.headers);
    const result = await client.callTool({ name: "get_investigation", arguments: { session_id: id } });
    expect(result.structuredContent).to.deep.include({
      conclusion: {
        status: "confirmed",
        stated_status: "confirmed",
        confidence: 80,
        claims_verified: 1,
        claims_total: 1,
        outcomes: ["verified"],
      },
    });
    const text = JSON.stringify(result.content);
    for (const part of [
      "claim c1 [verified]: claim c1",
      "quote from r1, line 3:",
      "ruled out [altered]: DNS",
    ]) {
      expect(text).to.include(part);
    }
    await client.close();
  });

  it("is in the news of its session's end, in Slack and in webhooks", async () => {
    const { id } = await seeded(FIRST, SECOND);
    const { messages, texts } = await told(id);
    expect(messages.map(({ type, data }) => [type, data.session.conclusion])).to.deep.equal([
      ["session.started", undefined],
      [
        "session.ended",
        {
          status: "confirmed",
          stated_status: "confirmed",
          confidence: 80,
          summary: "it was the load",
          causes: [CAUSE],
          claims_verified: 1,
          claims_total: 1,
        },
      ],
    ]);
    expect(texts).to.have.length(1);
    expect(texts[0]).to.include("\\n*Conclusion:* confirmed, 1 of 1 claim verified");
    const likely = await told((await seeded(FIRST)).id);
    expect(likely.texts[0]).to.include("\\n*Conclusion:* likely, 1 of 2 claims verified");
    const unread = await told((await seeded(UNREAD)).id);
    expect(unread.texts[0]).to.include('\\n*Conclusion:* unchecked"');
    expect(unread.messages.at(-1)?.data.session.conclusion).to.deep.include({ summary: null, causes: [] });
  });

  it("is a warning for as long as the newest five or more of a model could not be read", async () => {
    const warnings = async () => {
      const { body: answer } = await fixture.api.client.request("GET", "/api/v1/system/warnings");
      return parseWarnings(answer).warnings.filter(({ id }) => id.endsWith(":conclusions"));
    };
    const unread = async (model: string, times: number) => {
      for (let time = 0; time < times; time += 1) await seededBy(model, UNREAD);
    };
    await unread("small", 3);
    // The correction was read.
    await seededBy("small", UNREAD, SECOND);
    await unread("small", 4);
    await unread("other", 1);
    expect(await warnings()).to.deep.equal([]);
    await unread("small", 1);
    await seededBy("other", FIRST);
    const found = await warnings();
    expect(found.map(({ id, message, details }) => ({ id, message, details }))).to.deep.equal([
      {
        id: "llm:small:conclusions",
        message: "the last 5 conclusions of model small could not be read",
        details:
          "Its answers stand without checked quotes. The newest: It stated none. Take another model, or set conclusion: none for its agents.",
      },
    ]);
    await unread("small", 1);
    expect((await warnings())[0]?.message).to.contain("the last 6");
    await seededBy("small", FIRST);
    expect(await warnings()).to.deep.equal([]);
    await unread("small", 4);
    expect(await warnings()).to.deep.equal([]);
  });

  it("is in no word of the news of a session without one", async () => {
    const { bodies, texts } = await told(await fixture.submit());
    expect(bodies).to.have.length(2);
    expect([...bodies, ...texts].join("\n")).to.not.match(/conclusion/iu);
  });
});
