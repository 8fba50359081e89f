import { expect } from "chai";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ForkFixture } from "../support/fork-fixture.ts";

const parseCall = compileParser(
  "tool call",
  Type.Object({ interaction_id: Type.String(), seq: Type.Integer(), execution_id: Type.String() }),
);

describe("a fork with changes, through all five services", () => {
  let forks: ForkFixture;

  before(async () => {
    forks = await ForkFixture.start();
  });
  after(() => forks[Symbol.asyncDispose]());
  afterEach(function () {
    forks.showOutputOf(this.currentTest);
  });

  it("goes on with another provider of today's configuration, or another model", async () => {
    const other = await forks.changed({ llm_provider: "second" });
    expect(new Set(other.requests.map(({ path }) => path.split("/")[1]))).to.deep.equal(new Set(["second"]));
    expect(ForkFixture.texts(other.requests).join(""))
      .to.contain('"model":"model-two"')
      .and.not.to.contain("model-one");
    const [row] = await forks.query(
      "SELECT count(*)::int AS n FROM agent_executions WHERE session_id = $1 AND status = 'completed' AND llm_provider = 'second'",
      [other.id],
    );
    expect(row).to.have.property("n").that.is.greaterThan(0);
    const path = `/api/v1/sessions/${other.parent}/comparison?with=${other.id}`;
    const { body } = await forks.client.request("GET", path);
    expect(body["first_divergence"]).to.include({
      kind: "llm_call",
      part: "request",
      pointer: "/model/model",
    });
    expect(body["first_divergence"]).to.include({ text_a: "model-one", text_b: "model-two" });
    const cassette = await forks.client.request("GET", `/api/v1/sessions/${other.id}/cassette`);
    expect(cassette.status).to.equal(200);
    const renamed = await forks.changed({ model: "model-three" });
    expect(ForkFixture.texts(renamed.requests).join(""))
      .to.contain('"model":"model-three"')
      .and.not.to.contain("model-one");
  });

  it("gives other instructions to agents that have begun as a message, and to others in their prompt", async () => {
    const { requests } = await forks.changed({ custom_instructions: "Say ONLY what you have SEEN." });
    const told = ForkFixture.texts(requests).filter((text) => text.includes("SEEN."));
    expect(told.length).to.equal(requests.length - 1, "all but the executive summary");
    expect(told.some((text) => text.includes("OPERATOR_NOTE"))).to.equal(true);
    expect(told.some((text) => !text.includes("OPERATOR_NOTE") && !text.includes("Look at pods."))).to.equal(
      true,
    );
  });

  it("concludes at another limit of iterations", async () => {
    const { requests, session } = await forks.changed({ max_iterations: 1 });
    expect(session.status).to.equal("completed");
    expect(ForkFixture.texts(requests).join("")).to.contain("You have reached the limit of 1 iteration.");
  });

  for (const tools of ["recorded", "live"]) {
    it(`tells the agent an edited result, with ${tools} tools`, async () => {
      const parent = await forks.investigate();
      const [call] = await forks.query(
        `SELECT i.interaction_id, i.seq, i.execution_id FROM mcp_interactions i JOIN agent_executions e USING (execution_id) JOIN stages s ON s.stage_id = i.stage_id
         WHERE i.session_id = $1 AND i.interaction_type = 'tool_call' AND s.stage_index = 2 AND i.outcome = '{"kind": "result", "index": 1, "iteration": 1}'`,
        [parent],
      );
      const { interaction_id, seq } = parseCall(call);
      const start = forks.requests.length;
      const made = await forks.toolCalls();
      const changes = {
        tool_result: {
          interaction_id,
          content: "EDITED by hand, token ghp_0123456789abcdefghijABCDEFGHIJ456789",
        },
      };
      const { session, id } = await forks.fork(parent, { at_seq: seq, changes, tools });
      expect(session.final_analysis).to.equal("somebody edited it");
      const told = ForkFixture.texts(forks.requests.slice(start)).filter((text) => text.includes("EDITED"));
      expect(told.join("")).to.contain("TOOL_OUTPUT_START").and.not.to.contain("ghp_0123");
      expect(await forks.toolCalls()).to.equal(made + (tools === "live" ? 1 : 0));
      const { body } = await forks.client.request("GET", `/api/v1/sessions/${parent}`);
      expect(body["forks"]).to.have.length(1);
      expect(id).not.to.equal(parent);
    });
  }

  it("makes the calls again with live tools", async () => {
    expect((await forks.changed({}, "live")).made).to.be.greaterThan(1);
  });

  it("can be made of a fork, and both say where they come from", async () => {
    const { id: first, parent, at_seq } = await forks.changed({ max_iterations: 9 });
    const steps = await forks.stepsOf(first);
    const last = steps.at(-1) ?? 0;
    expect(steps.every((seq) => seq >= at_seq)).to.equal(true);
    const { id: second } = await forks.fork(first, { at_seq: last });
    const { body } = await forks.client.request("GET", `/api/v1/sessions/${second}`);
    expect(body["forked_from"]).to.deep.equal({
      session_id: first,
      at_seq: last,
      tools: "recorded",
      changes: {},
    });
    const { body: one } = await forks.client.request("GET", `/api/v1/sessions/${first}`);
    expect(one["forked_from"]).to.deep.include({ session_id: parent, changes: { max_iterations: 9 } });
    expect(one["forks"]).to.have.length(1);
    const early = await forks.client.request("POST", `/api/v1/sessions/${first}/fork`, { at_seq: 1 });
    expect(early.status).to.equal(409);
    expect(early.body["message"]).to.contain("fork the session that it comes from");
  });
});
