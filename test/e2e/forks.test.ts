import { isDeepStrictEqual } from "node:util";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ForkFixture } from "../support/fork-fixture.ts";
import { NIGHTLY, STEP, describeNightly, itNightly } from "../support/nightly.ts";
import { until } from "../support/until.ts";

/** Forks that run at the same time. */
const AT_ONCE = 5;

const Side = Type.Object({
  llm_calls: Type.Integer(),
  tool_calls: Type.Integer(),
  total_tokens: Type.Integer(),
});
const parseSides = compileParser(
  "comparison",
  Type.Object({ a: Side, b: Side }, { additionalProperties: true }),
);

const parseCall = compileParser(
  "tool call",
  Type.Object({ interaction_id: Type.String(), seq: Type.Integer(), execution_id: Type.String() }),
);

describe("forks, through all five services", () => {
  let forks: ForkFixture;

  before(async () => {
    forks = await ForkFixture.start();
  });
  after(() => forks[Symbol.asyncDispose]());
  afterEach(function () {
    forks.showOutputOf(this.currentTest);
  });

  describe("without changes", () => {
    const views = async (id: string): Promise<unknown[]> =>
      Promise.all(
        ["", "/trace", "/events"].map(async (path) => {
          const { body } = await forks.client.request("GET", `/api/v1/sessions/${id}${path}`);
          return { ...body, forks: null };
        }),
      );
    const count = async (sql: string, parameters: unknown[]): Promise<unknown> => {
      const [row] = await forks.query(`SELECT count(*)::int AS n ${sql}`, parameters);
      return row;
    };

    it("asks the model what its parent asked after that step, word for word, at the end of every step", async () => {
      const parent = await forks.investigate();
      const asked = ForkFixture.texts(forks.requests);
      const before = await views(parent);
      const made = await forks.toolCalls();
      const steps = [0, ...(await forks.stepsOf(parent))];
      expect(steps.length).to.be.greaterThan(10);
      const points = steps.filter((_step, index) => index % STEP === 0);
      for (let from = 0; from < points.length; from += AT_ONCE) {
        await Promise.all(
          points.slice(from, from + AT_ONCE).map(async (at_seq) => {
            const { id } = await forks.fork(parent, { at_seq });
            const calls = "FROM llm_interactions WHERE session_id = $1 AND seq > $2";
            expect(await count(calls, [id, at_seq]), `at ${at_seq}`).to.deep.equal(
              await count(calls, [parent, at_seq]),
            );
            const [numbers] = await forks.query(
              "SELECT count(*) = max(seq) AS whole FROM events WHERE session_id = $1",
              [id],
            );
            expect(numbers).to.deep.equal({ whole: true });
            const { body } = await forks.client.request(
              "GET",
              `/api/v1/sessions/${parent}/comparison?with=${id}`,
            );
            expect(body["first_divergence"], `at ${at_seq}`).to.equal(null);
          }),
        );
      }
      const now = ForkFixture.texts(forks.requests.slice(asked.length));
      const total =
        "FROM llm_interactions i JOIN alert_sessions s USING (session_id) WHERE s.forked_from = $1 AND i.seq > s.forked_at_seq";
      expect(await count(total, [parent])).to.deep.equal({ n: now.length });
      expect(now.filter((text) => !asked.includes(text))).to.deep.equal([]);
      expect(await forks.toolCalls()).to.equal(made);
      expect(await views(parent)).to.deep.equal(before);
    });

    itNightly("is compared with its parent without what followed one of them", async () => {
      const parent = await forks.investigate();
      const { id } = await forks.fork(parent, { at_seq: 0 });
      const calls = "FROM llm_interactions WHERE session_id = $1";
      const before = await count(calls, [parent]);
      const content = "Why is it slow?";
      await forks.client.request("POST", `/api/v1/sessions/${parent}/chat/messages`, { content });
      await until(
        "the question has a call",
        async () => !isDeepStrictEqual(await count(calls, [parent]), before),
      );
      const { body } = await forks.client.request("GET", `/api/v1/sessions/${parent}/comparison?with=${id}`);
      const { a, b } = parseSides(body);
      const figures = ({ llm_calls, tool_calls, total_tokens }: typeof a) => ({
        llm_calls,
        tool_calls,
        total_tokens,
      });
      expect(figures(a)).to.deep.equal(figures(b));
      expect({ n: a.llm_calls }).to.deep.equal(before);
    });

    itNightly("goes on with sub-agents and kept results", async () => {
      const parent = await forks.investigate("lead");
      const made = await forks.toolCalls();
      const { final_analysis } = await forks.client.session(parent);
      expect(final_analysis).to.equal("the helper says memory");
      const steps = await forks.stepsOf(parent);
      expect(steps.length).to.be.greaterThan(6);
      const points = steps.filter((_step, index) => index % STEP === 0);
      await Promise.all(
        points.map(async (at_seq) => {
          const { id, session } = await forks.fork(parent, { at_seq });
          expect(session.final_analysis, `at ${at_seq}`).to.equal(final_analysis);
          const [kept] = await forks.query(
            `SELECT count(*)::int AS n, count(*) FILTER (WHERE i.tool_result ->> 'is_error' = 'true')::int AS failed,
             count(t.call_id)::int AS kept FROM mcp_interactions i LEFT JOIN tool_results t
             ON t.session_id = i.session_id AND strpos(i.tool_result ->> 'content', t.call_id) > 0
           WHERE i.session_id = $1 AND i.interaction_type = 'tool_call'`,
            [id],
          );
          expect(kept, `at ${at_seq}`).to.deep.equal({ n: 6, failed: 0, kept: 1 });
          const [agents] = await forks.query(
            "SELECT count(*)::int AS n, count(delivered_at)::int AS told FROM agent_executions WHERE session_id = $1",
            [id],
          );
          expect(agents, `at ${at_seq}`).to.deep.equal({ n: 2, told: 1 });
        }),
      );
      expect(await forks.toolCalls()).to.equal(made);
    });

    itNightly("is made of a session that runs", async () => {
      const parent = await forks.client.submit("it runs", { alert_type: "chain" });
      const { id } = await forks.fork(parent, { at_seq: 0, tools: "live" });
      expect((await forks.client.waitFor(parent, ["completed", "failed"])).status).to.equal("completed");
      expect((await forks.client.session(id)).final_analysis).to.equal("it was the memory");
    });

    itNightly("waits for an executor, and shows itself from its first own event on", async () => {
      const parent = await forks.investigate();
      const [at_seq = 0] = (await forks.stepsOf(parent)).slice(4);
      await forks.pipeline.system.stop("executor", "SIGKILL");
      const { id: session_id } = await forks.ask(parent, { at_seq });
      const path = `/api/v1/sessions/${session_id}`;
      const [kept, steps] = [await forks.client.request("GET", path), await forks.stepsOf(parent)];
      expect(kept.body).to.include({ status: "pending", started_at: null });
      await forks.pipeline.system.startService("executor");
      expect((await forks.client.waitFor(session_id, ["completed", "failed"])).status).to.equal("completed");
      const past = await forks.client.request("GET", `${path}?at_seq=${at_seq}`);
      expect(past.body["stages"]).to.deep.equal(kept.body["stages"]);
      expect(past.body["timeline"]).to.deep.equal(kept.body["timeline"]);
      const earlier = await forks.client.request("GET", `${path}?at_seq=${at_seq - 1}`);
      expect(earlier.status).to.equal(409);
      expect(steps).to.deep.equal(await forks.stepsOf(parent));
    });
  });

  describe("with changes", () => {
    itNightly("goes on with another provider of today's configuration, or another model", async () => {
      const other = await forks.changed({ llm_provider: "second" });
      expect(new Set(other.requests.map(({ path }) => path.split("/")[1]))).to.deep.equal(
        new Set(["second"]),
      );
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

    for (const tools of NIGHTLY ? ["recorded", "live"] : ["recorded"]) {
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
  });

  describeNightly("with further changes", () => {
    it("gives other instructions to agents that have begun as a message, and to others in their prompt", async () => {
      const { requests } = await forks.changed({ custom_instructions: "Say ONLY what you have SEEN." });
      const told = ForkFixture.texts(requests).filter((text) => text.includes("SEEN."));
      expect(told.length).to.equal(requests.length - 1, "all but the executive summary");
      expect(told.some((text) => text.includes("OPERATOR_NOTE"))).to.equal(true);
      expect(
        told.some((text) => !text.includes("OPERATOR_NOTE") && !text.includes("Look at pods.")),
      ).to.equal(true);
    });

    it("concludes at another limit of iterations", async () => {
      const { requests, session } = await forks.changed({ max_iterations: 1 });
      expect(session.status).to.equal("completed");
      expect(ForkFixture.texts(requests).join("")).to.contain("You have reached the limit of 1 iteration.");
    });

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
});
