import { expect } from "chai";
import { runSession } from "../run-session.ts";
import { RunFixture } from "./run-fixture.ts";
import { answerTurn, callTurn, conclusionWith, type Strategy } from "./scripted-turns.ts";

const RIGHT = conclusionWith([["r1", "pod checkout-7d9f restarts"]]);
const WRONG = conclusionWith([["r1", "pod checkout-7d9f restarted"]]);
const FENCE = `Here it is:\n\`\`\`json\n${JSON.stringify(RIGHT)}\n\`\`\``;
const ANSWER = "It was the memory.";

describe("an agent that states its conclusion as data", function () {
  this.timeout(60_000);
  const resources = new AsyncDisposableStack();
  let fixture: RunFixture;

  before(async () => {
    fixture = resources.use(await RunFixture.startWithTools());
  });
  after(() => resources.disposeAsync());

  const run = async (options: Parameters<RunFixture["executor"]["insert"]>[0] = {}) => {
    const id = await fixture.executor.insert({ servers: ["k8s"], concludes: true, ...options });
    const end = await fixture.run(id);
    expect(end, JSON.stringify(await fixture.outcomes(id))).to.equal("completed");
    return id;
  };
  const conclusions = async (id: string) =>
    fixture.executor.query(
      `SELECT c.attempt, c.status, c.stated_status AS stated, c.claims_verified AS verified, c.claims_total AS total,
         (SELECT json_agg(concat_ws(' ', x ->> 'claim_id', x ->> 'list', x ->> 'outcome', x ->> 'source')) FROM jsonb_array_elements(c.checked) x) AS claims
       FROM conclusions c JOIN agent_executions e USING (execution_id) WHERE c.session_id = $1 ORDER BY c.seq, c.attempt`,
      [id],
    );
  const analysis = async (id: string) =>
    (
      await fixture.executor.query(
        "SELECT content FROM timeline_events WHERE session_id = $1 AND event_type = 'final_analysis' ORDER BY sequence_number",
        [id],
      )
    ).map((row) => (typeof row === "object" && row !== null && "content" in row ? row.content : ""));
  const messages = async (id: string) =>
    fixture.executor.query(
      "SELECT role, content, tool_calls FROM messages WHERE session_id = $1 ORDER BY created_at, sequence_number",
      [id],
    );
  const CONFIRMED = {
    attempt: 1,
    status: "confirmed",
    stated: "confirmed",
    verified: 1,
    total: 1,
    claims: ["c1 claim verified r1"],
  };

  for (const strategy of ["react", "native-thinking"] satisfies Strategy[]) {
    it(`calls the tool, reads its check and answers: ${strategy}`, async () => {
      await fixture.play(
        callTurn(strategy, 1, "k8s.pods", {}),
        callTurn(strategy, 2, "tarsy.conclude", RIGHT),
        answerTurn(strategy, ANSWER),
      );
      const id = await run({ strategy });
      expect(await conclusions(id)).to.deep.equal([CONFIRMED]);
      expect(await analysis(id)).to.deep.equal([ANSWER]);
      const texts = (await messages(id)).map((row) => JSON.stringify(row));
      expect(texts.filter((text) => text.includes("[r1]"))).to.have.length(1);
      expect(texts.some((text) => text.includes("1 of 1 quotes were found."))).to.equal(true);
    });

    it(`is asked after an answer without one, and its answer stays: ${strategy}`, async () => {
      const stated =
        strategy === "react" ? { steps: [{ text: FENCE }] } : callTurn(strategy, 3, "tarsy.conclude", RIGHT);
      await fixture.play(
        callTurn(strategy, 1, "k8s.pods", {}),
        { when: { call: 2 }, ...answerTurn(strategy, ANSWER) },
        stated,
      );
      const id = await run({ strategy });
      expect(await conclusions(id)).to.deep.equal([CONFIRMED]);
      expect(await analysis(id)).to.deep.equal([ANSWER]);
    });

    it(`corrects once what was not found, and a dropped claim keeps its outcome: ${strategy}`, async () => {
      const dropped = conclusionWith([["alert", "an alert of the test"]], "likely");
      await fixture.play(
        callTurn(strategy, 1, "k8s.pods", {}),
        callTurn(
          strategy,
          2,
          "tarsy.conclude",
          conclusionWith([
            ["r1", "pod checkout-7d9f restarted"],
            ["r9", "nothing of the kind"],
          ]),
        ),
        callTurn(strategy, 3, "tarsy.conclude", dropped),
        callTurn(strategy, 4, "tarsy.conclude", RIGHT),
        answerTurn(strategy, ANSWER),
      );
      const id = await run({ strategy, alert: "an alert of the test" });
      expect(await conclusions(id)).to.deep.equal([
        {
          attempt: 1,
          status: "inconclusive",
          stated: "confirmed",
          verified: 0,
          total: 2,
          claims: ["c1 claim altered r1", "c2 claim absent"],
        },
        {
          attempt: 2,
          status: "likely",
          stated: "likely",
          verified: 1,
          total: 1,
          claims: ["c1 claim verified alert", "c2 dropped absent"],
        },
      ]);
      // A third call changes nothing.
      expect(await analysis(id)).to.deep.equal([ANSWER]);
    });

    it(`concludes at its limit of iterations, and the question uses up none: ${strategy}`, async () => {
      await fixture.play(
        callTurn(strategy, 1, "k8s.pods", {}),
        { when: { call: 2 }, ...answerTurn(strategy, ANSWER) },
        { steps: [{ text: FENCE }] },
      );
      const id = await run({ strategy, maxIterations: 1 });
      expect(await conclusions(id)).to.deep.equal([CONFIRMED]);
      expect(await analysis(id)).to.deep.equal([ANSWER]);
      const [row] = await fixture.executor.query(
        "SELECT metadata FROM timeline_events WHERE session_id = $1 AND event_type = 'final_analysis'",
        [id],
      );
      expect(row).to.deep.equal({
        metadata: { forced_conclusion: true, iterations_used: 1, max_iterations: 1 },
      });
    });

    it(`answers all the same if it never states one: ${strategy}`, async () => {
      await fixture.play(callTurn(strategy, 1, "k8s.pods", {}), answerTurn(strategy, ANSWER));
      const id = await run({ strategy });
      const stored = await conclusions(id);
      expect(stored).to.have.length(1);
      expect(stored[0]).to.deep.include({ attempt: 1, status: "unchecked", stated: null, total: 0 });
      expect(await analysis(id)).to.deep.equal([ANSWER]);
    });
  }

  it("finds no words of a window in the result, and none of another session, by whatever name", async () => {
    await fixture.play(callTurn("native-thinking", 1, "k8s.pods", {}), answerTurn("native-thinking", ANSWER));
    const other = await run({ strategy: "native-thinking", concludes: false });
    const [row] = await fixture.executor.query(
      "SELECT interaction_id::text AS id FROM mcp_interactions WHERE session_id = $1 AND interaction_type = 'tool_call'",
      [other],
    );
    const foreign = String(Reflect.get(Object(row), "id"));
    await fixture.play(
      callTurn("native-thinking", 1, "k8s.large", {}),
      callTurn(
        "native-thinking",
        2,
        "tarsy.conclude",
        conclusionWith([
          ["r1", "All of it is kept"],
          [foreign, "pod checkout-7d9f restarts"],
        ]),
      ),
      answerTurn("native-thinking", ANSWER),
    );
    const id = await run({ strategy: "native-thinking" });
    expect(await conclusions(id))
      .to.have.nested.property("[0].claims")
      .that.includes.members(["c1 claim absent r1", `c2 claim other_session ${foreign}`]);
  });

  it("keeps a conclusion that was checked if the correction cannot be read", async () => {
    await fixture.play(
      callTurn("native-thinking", 1, "k8s.pods", {}),
      { when: { call: 2 }, ...answerTurn("native-thinking", ANSWER) },
      callTurn(
        "native-thinking",
        3,
        "tarsy.conclude",
        conclusionWith([["r1", "pod checkout-7d9f restarted"]]),
      ),
      answerTurn("native-thinking", "I would rather not."),
    );
    const id = await run({ strategy: "native-thinking" });
    const stored = await conclusions(id);
    expect(stored).to.have.length(1);
    expect(stored[0]).to.deep.include({ attempt: 1, status: "inconclusive", total: 1 });
    expect(await analysis(id)).to.deep.equal([ANSWER]);
  });

  it("has room in its budget for the answer and the conclusion, and leaves the correction out without any", async () => {
    const { executor, gateway } = fixture;
    const deps = await executor.another(resources, gateway.address, { llmTries: 1 });
    await fixture.play(
      callTurn("native-thinking", 1, "k8s.pods", {}),
      { when: { last_contains: "Conclude now" }, ...answerTurn("native-thinking", ANSWER) },
      { steps: [{ tool_call: { name: "tarsy.conclude", arguments: WRONG } }] },
    );
    const budgets = { session: { calls: 3, soft_ratio: 1 } };
    const of = { strategy: "native-thinking", servers: ["k8s"], concludes: true, budgets } as const;
    const id = await executor.insert(of);
    const { signal } = new AbortController();
    expect(await runSession(deps, await executor.claim(id), { stop: signal, abort: signal })).to.equal(
      "completed",
    );
    const calls =
      "SELECT interaction_type::text AS type FROM llm_interactions WHERE session_id = $1 ORDER BY created_at";
    const types = (await executor.query(calls, [id])).map((row) => JSON.stringify(row));
    expect(types.slice(0, 3)).to.deep.equal(
      ["iteration", "forced_conclusion", "conclusion"].map((type) => JSON.stringify({ type })),
    );
    expect(types.filter((type) => type.includes('"conclusion"'))).to.have.length(1);
    const stored = await conclusions(id);
    expect(stored).to.have.length(1);
    expect(stored[0]).to.deep.include({ attempt: 1, status: "inconclusive", total: 1 });
    expect(await analysis(id)).to.deep.equal([ANSWER]);
  });

  it("ends with the text beside the call if every quote is found", async () => {
    const text = `${ANSWER} `.repeat(20).trim();
    await fixture.play(callTurn("native-thinking", 1, "k8s.pods", {}), {
      when: { call: 2 },
      steps: [{ text }, { tool_call: { name: "tarsy.conclude", arguments: RIGHT } }],
    });
    const id = await run({ strategy: "native-thinking" });
    expect(await conclusions(id)).to.deep.equal([CONFIRMED]);
    expect(await analysis(id)).to.deep.equal([text]);
  });

  it("answers without one if the calls that ask for it fail", async () => {
    const failure = { steps: [{ error: { code: "provider_error", message: "gone", retryable: false } }] };
    await fixture.play(
      callTurn("native-thinking", 1, "k8s.pods", {}),
      { when: { call: 2 }, ...answerTurn("native-thinking", ANSWER) },
      failure,
    );
    const id = await run({ strategy: "native-thinking" });
    expect(await conclusions(id)).to.deep.equal([
      { attempt: 1, status: "unchecked", stated: null, verified: 0, total: 0, claims: null },
    ]);
    expect(await analysis(id)).to.deep.equal([ANSWER]);
  });

  it("states it in JSON without tools, and a synthesis quotes the results of its agents", async () => {
    const ofAgents = conclusionWith([
      ["TestAgent-1#1/r1", "pod checkout-7d9f restarts"],
      ["TestAgent-2#2/r1", "pod checkout-7d9f restarts"],
      ["TestAgent-1#9/r1", "pod checkout-7d9f restarts"],
    ]);
    await fixture.play(
      {
        when: { contains: "parallel investigations", call: 1 },
        ...answerTurn("native-thinking", "both found it"),
      },
      { when: { contains: "parallel investigations" }, steps: [{ text: JSON.stringify(ofAgents) }] },
      callTurn("native-thinking", 1, "k8s.pods", {}),
      callTurn("native-thinking", 2, "tarsy.conclude", RIGHT),
      answerTurn("native-thinking", ANSWER),
    );
    const id = await run({
      strategy: "native-thinking",
      stages: [["TestAgent", "TestAgent"]],
      isReplicated: true,
    });
    const stored = await conclusions(id);
    expect(stored.slice(0, 2)).to.deep.equal([CONFIRMED, CONFIRMED]);
    expect(stored.at(2)).to.deep.include({ verified: 2, total: 3, status: "likely" });
  });

  it("is left alone without the contract", async () => {
    await fixture.play(callTurn("native-thinking", 1, "k8s.pods", {}), answerTurn("native-thinking", ANSWER));
    const id = await run({ strategy: "native-thinking", concludes: false });
    expect(await conclusions(id)).to.deep.equal([]);
    expect(JSON.stringify(await messages(id))).to.not.match(/\[r1\]|conclude/u);
  });
});
