import { expect } from "chai";
import { RunFixture } from "./run-fixture.ts";

const ANSWER = { steps: [{ text: "it was the memory" }] };
const calls = (...names: string[]) => ({
  when: { call: 1 },
  steps: names.map((name) => ({ tool_call: { name, arguments: {} } })),
});

describe("an agent whose tool calls fail", () => {
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.startWithTools({ others: ["second"] });
  });
  after(() => fixture[Symbol.asyncDispose]());

  const answersAfter = async (
    names: readonly string[],
    options: { readonly toolCallMs?: number; readonly maxIterations?: number } = {},
  ) => {
    const { toolCallMs, ...rest } = options;
    await fixture.play(calls(...names), ANSWER);
    const id = await fixture.executor.insert({
      strategy: "native-thinking",
      servers: ["k8s"],
      fallbacks: ["second"],
      ...rest,
    });
    expect(await fixture.run(id, toolCallMs === undefined ? {} : { toolCallMs })).to.equal("completed");
    expect((await fixture.timelineRows(id)).map((row) => JSON.stringify(row)).join())
      .to.include("it was the memory")
      .and.not.include("provider_fallback");
  };

  it("goes on after any number of timeouts in one answer", async () => {
    await answersAfter(["k8s.hang", "k8s.hang", "k8s.hang"], { toolCallMs: 300 });
  });

  it("concludes at the limit, with the same provider, although its last call failed", async () => {
    await answersAfter(["k8s.throws"], { maxIterations: 1 });
    await answersAfter(["k8s.throws", "k8s.pods"], { maxIterations: 1 });
  });
});
