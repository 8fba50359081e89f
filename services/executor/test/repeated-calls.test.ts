import { expect } from "chai";
import { AnsweringRunner, listedTool } from "./answering-runner.ts";
import { RunFixture } from "./run-fixture.ts";
import { contentOf } from "./content-of.ts";
import { unframed } from "./unframed.ts";

const TOOLS = [
  listedTool("k8s.pods", { effect: "read" }),
  listedTool("k8s.set", { effect: "idempotent" }),
  listedTool("k8s.other", { effect: "read" }),
];
const REMARK =
  /^\[Not called again: the same call was just made twice, with the same result\. This is the result of \d+ s ago\.\]\n/u;

type Call = readonly [name: string, args: object];
const PODS: Call = ["pods", { ns: "shop", limits: { cpu: 1, memory: 2 } }];

describe("a call that repeats the two before it", () => {
  const resources = new AsyncDisposableStack();
  let fixture: RunFixture;

  before(async () => {
    fixture = resources.use(await RunFixture.start());
  });
  after(() => resources.disposeAsync());

  const results = async (id: string): Promise<unknown[]> =>
    fixture.executor.query(
      "SELECT content FROM messages WHERE session_id = $1 AND role = 'tool' ORDER BY sequence_number",
      [id],
    );

  /** Runs a session whose model asks for one call after the other; returns the runner's requests and the results. */
  const investigate = async (
    calls: readonly Call[],
    answer: (made: number, sessionId: string) => string | Promise<string> = () => "three pods",
    isError = false,
  ) => {
    let made = 0;
    using runner = await AnsweringRunner.start(fixture.executor.bus, {
      listing: { tools: TOOLS },
      answer: async (request) => {
        made += 1;
        const content = await answer(made, request.session_id);
        return { answer: { kind: "result", content, is_error: isError } };
      },
    });
    await fixture.play(
      ...calls.map(([name, args], n) => ({
        when: { call: n + 1 },
        steps: [{ tool_call: { name: `k8s.${name}`, arguments: args } }],
      })),
      { steps: [{ text: "it was the memory" }] },
    );
    const id = await fixture.executor.insert({ strategy: "native-thinking", servers: ["k8s"] });
    expect(await fixture.run(id)).to.equal("completed");
    return { id, made: runner.requests.length, results: (await results(id)).map(contentOf).map(unframed) };
  };

  it("gets the last result with its age, and the next one is made again", async () => {
    const again: Call = ["pods", { limits: { memory: 2, cpu: 1 }, ns: "shop" }];
    const run = await investigate([PODS, again, PODS, PODS]);
    expect(run.made).to.equal(3);
    expect(run.results.map((text) => text.replace(REMARK, "(again) "))).to.deep.equal([
      "three pods",
      "three pods",
      "(again) three pods",
      "three pods",
    ]);
    const recorded = await fixture.executor.query(
      `SELECT i.tool_result ->> 'content' AS result, i.tool_result -> 'is_error' AS is_error, t.content AS shown
       FROM mcp_interactions i JOIN timeline_events t ON t.mcp_interaction_id = i.interaction_id
       WHERE i.session_id = $1 AND t.event_type = 'tool_result' ORDER BY t.sequence_number`,
      [run.id],
    );
    expect(recorded).to.deep.equal(
      run.results.map((text) => ({ result: text, is_error: false, shown: text })),
    );
  });

  it("is made if an argument differs, or may differ in digits that are lost when it is parsed", async () => {
    expect((await investigate([PODS, PODS, ["pods", { ns: "shop" }]])).made).to.equal(3);
    const large: Call = ["pods", { ids: [2 ** 60] }];
    expect((await investigate([large, large, large])).made).to.equal(3);
  });

  it("is made if the two results differ, or are errors", async () => {
    expect((await investigate([PODS, PODS, PODS], (made) => `${made} pods`)).made).to.equal(3);
    expect((await investigate([PODS, PODS, PODS], () => "no such cluster", true)).made).to.equal(3);
  });

  it("is made if another call was in between, or the tool may change something", async () => {
    expect((await investigate([PODS, PODS, ["other", {}], PODS])).made).to.equal(4);
    const set: Call = ["set", {}];
    expect((await investigate([set, set, set])).made).to.equal(3);
  });

  it("is made if it is in one answer with them", async () => {
    using runner = await AnsweringRunner.start(fixture.executor.bus, { listing: { tools: TOOLS } });
    const call = { tool_call: { name: "k8s.pods", arguments: PODS[1] } };
    await fixture.play(
      { when: { call: 1 }, steps: [call, call, call] },
      { steps: [{ text: "it was the memory" }] },
    );
    const id = await fixture.executor.insert({ strategy: "native-thinking", servers: ["k8s"] });
    expect(await fixture.run(id)).to.equal("completed");
    expect(runner.requests).to.have.length(3);
  });

  it("is made if the results are older than 30 s", async () => {
    // The second call is answered once the first is old; the third finds one row that is too old.
    const run = await investigate([PODS, PODS, PODS], async (made, sessionId) => {
      if (made === 2) {
        await fixture.executor.query(
          "UPDATE mcp_interactions SET created_at = created_at - interval '31 s' WHERE session_id = $1 AND interaction_type = 'tool_call'",
          [sessionId],
        );
      }
      return "three pods";
    });
    expect(run.made).to.equal(3);
  });
});
