import { expect } from "chai";
import { AnsweringRunner, listedTool } from "./answering-runner.ts";
import { RunFixture } from "./run-fixture.ts";

const NUMBERS = '{"ts": 1764163864123456789, "big": 12345678901234567890123, "part": 0.1000000000000000055}';

describe("numbers in the arguments of a call", () => {
  const resources = new AsyncDisposableStack();
  let fixture: RunFixture;

  before(async () => {
    fixture = resources.use(await RunFixture.start());
  });
  after(() => resources.disposeAsync());

  it("keep all digits on the way to the tool-runner, in rows and in events", async () => {
    using runner = await AnsweringRunner.start(fixture.executor.bus, {
      listing: { tools: [listedTool("k8s.pods")] },
    });
    const action = `Thought: look\nAction: k8s.pods\nAction Input: ${NUMBERS}`;
    await fixture.play(
      { when: { call: 1 }, steps: [{ text: action }] },
      { steps: [{ text: "Thought: enough\nFinal Answer: the disk" }] },
    );
    const id = await fixture.executor.insert({ strategy: "react", servers: ["k8s"] });
    expect(await fixture.run(id)).to.equal("completed");
    const written = NUMBERS.replaceAll(" ", "");
    expect(runner.requests.map(({ arguments: args }) => args)).to.deep.equal([written]);
    for (const [what, sql] of [
      ["rows", "SELECT tool_arguments FROM mcp_interactions WHERE session_id = $1 AND tool_name = 'pods'"],
      ["timeline", "SELECT metadata FROM timeline_events WHERE session_id = $1 AND metadata ? 'arguments'"],
      ["events", "SELECT payload FROM events WHERE session_id = $1 AND payload::text LIKE '%\"ts\"%'"],
    ] as const) {
      const text = JSON.stringify(await fixture.executor.db.query(sql, [id]));
      for (const digits of ["1764163864123456789", "12345678901234567890123", "0.1000000000000000055"]) {
        expect(text, what).to.contain(digits);
      }
    }
  });

  it("may be larger than Postgres can store", async () => {
    using _runner = await AnsweringRunner.start(fixture.executor.bus, {
      listing: { tools: [listedTool("k8s.pods")] },
    });
    const action =
      'Thought: look\nAction: k8s.pods\nAction Input: {"a": 1e400, "b": 1e999999999, "c": -1e-99999}';
    await fixture.play(
      { when: { call: 1 }, steps: [{ text: action }] },
      { steps: [{ text: "Thought: x\nFinal Answer: y" }] },
    );
    const id = await fixture.executor.insert({ strategy: "react", servers: ["k8s"] });
    expect(await fixture.run(id)).to.equal("completed");
  });
});
