import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ApiFixture } from "./api-fixture.ts";

interface StageRow {
  readonly type: "investigation" | "action";
  readonly executed: boolean | null;
  readonly claimed: boolean | null;
}

const parseSubmitted = compileParser("submitted alert", Type.Object({ session_id: Type.String() }));
const parseSession = compileParser(
  "session",
  Type.Object({
    has_action_stages: Type.Boolean(),
    actions_executed: Type.Optional(Type.Unknown()),
    stages: Type.Array(
      Type.Object({
        stage_type: Type.String(),
        actions_executed: Type.Optional(Type.Unknown()),
        actions_claimed: Type.Optional(Type.Unknown()),
        actions_mismatch: Type.Optional(Type.Unknown()),
      }),
    ),
  }),
);

describe("stages of actions in a session's view", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start();
  });
  after(() => api[Symbol.asyncDispose]());

  const view = async (...stages: readonly StageRow[]) => {
    const submitted = await api.raw("POST", "/api/v1/alerts", {
      headers: { "content-type": "application/json" },
      body: Buffer.from('{"data":"x"}'),
    });
    const { session_id: id } = parseSubmitted(JSON.parse(submitted.text));
    for (const [index, { type, executed, claimed }] of stages.entries()) {
      await api.servers.query(
        `INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count, status, stage_type,
                             actions_executed, actions_claimed)
         VALUES ($1, $2, 'one', $3, 1, 'completed', $4, $5, $6)`,
        [randomUUID(), id, index, type, executed, claimed],
      );
    }
    const { text } = await api.raw("GET", `/api/v1/sessions/${id}`, {});
    const session = parseSession(JSON.parse(text));
    return {
      has: session.has_action_stages,
      executed: session.actions_executed,
      stages: session.stages.map((stage) => [
        stage.stage_type,
        stage.actions_executed,
        stage.actions_claimed,
        stage.actions_mismatch,
      ]),
    };
  };
  const investigation = { type: "investigation", executed: null, claimed: null } as const;

  it("say whether something was changed, and whether the model says otherwise", async () => {
    expect(
      await view(
        investigation,
        { type: "action", executed: false, claimed: true },
        { type: "action", executed: true, claimed: true },
      ),
    ).to.deep.equal({
      has: true,
      executed: true,
      stages: [
        ["investigation", undefined, undefined, undefined],
        ["action", false, true, true],
        ["action", true, true, undefined],
      ],
    });
  });

  it("say nothing of what is not known", async () => {
    expect(await view(investigation)).to.include({ has: false, executed: null });
    expect(await view({ type: "action", executed: null, claimed: true })).to.deep.equal({
      has: true,
      executed: null,
      stages: [["action", undefined, true, undefined]],
    });
    expect(await view({ type: "action", executed: false, claimed: null })).to.deep.equal({
      has: true,
      executed: false,
      stages: [["action", false, undefined, undefined]],
    });
  });
});
