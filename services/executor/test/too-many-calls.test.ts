import { expect } from "chai";
import { MAX_CALLS_PER_ANSWER } from "#shared/contracts/tool-call.ts";
import { RunFixture, type RunWithTools } from "./run-fixture.ts";

const ASKED = 8_000;
const ANSWER = { steps: [{ text: "it was the memory" }] };

describe("an answer with very many tool calls", () => {
  let fixture: RunWithTools;

  before(async () => {
    fixture = await RunFixture.startWithTools();
  });
  after(() => fixture[Symbol.asyncDispose]());

  const toolCalls = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ tool_call: { name: "k8s.pods", arguments: { n } } }));
  const messages = async (id: string) =>
    fixture.executor.query(
      `SELECT role, tool_call_id, content, (SELECT json_agg(call ->> 'id') FROM jsonb_array_elements(tool_calls) call) AS calls
       FROM messages WHERE session_id = $1 ORDER BY sequence_number`,
      [id],
    );
  const steps = async () => {
    const { values } = await fixture.executor.deps.metrics.steps.get();
    return values.reduce((sum, { value }) => sum + value, 0);
  };

  it("has the first carried out and the others answered together, in a conversation that stays small", async () => {
    await fixture.play({ when: { call: 1 }, steps: toolCalls(ASKED) }, ANSWER);
    const id = await fixture.executor.insert({ strategy: "native-thinking", servers: ["k8s"] });
    const [before, stepsBefore] = [await fixture.tools.calls(), await steps()];
    expect(await fixture.run(id)).to.equal("completed");
    expect((await fixture.tools.calls()) - before).to.equal(MAX_CALLS_PER_ANSWER);
    expect((await steps()) - stepsBefore).to.be.lessThan(MAX_CALLS_PER_ANSWER + 10);
    const rows = JSON.stringify(await messages(id));
    expect(Buffer.byteLength(rows)).to.be.lessThan(40_000);
    const conversation: unknown[] = await messages(id);
    const [asked] = conversation.flatMap((row) =>
      typeof row === "object" && row !== null && "calls" in row && Array.isArray(row.calls)
        ? [row.calls]
        : [],
    );
    const answered = conversation.flatMap((row) =>
      typeof row === "object" && row !== null && "tool_call_id" in row && row.tool_call_id !== null
        ? [row.tool_call_id]
        : [],
    );
    // One more than are carried out: its result tells about all that are not.
    expect(asked).to.have.length(MAX_CALLS_PER_ANSWER + 1);
    expect(answered).to.have.members(asked ?? []);
    expect(rows).to.include(
      "Too many tool calls in one answer: of 8000 calls only the first 32 are carried out",
    );
    expect(JSON.stringify(await fixture.timelineRows(id))).to.include("the other 7968 are not");
  });

  it("is carried out whole up to the limit", async () => {
    await fixture.play({ when: { call: 1 }, steps: toolCalls(MAX_CALLS_PER_ANSWER) }, ANSWER);
    const id = await fixture.executor.insert({ strategy: "native-thinking", servers: ["k8s"] });
    const before = await fixture.tools.calls();
    expect(await fixture.run(id)).to.equal("completed");
    expect((await fixture.tools.calls()) - before).to.equal(MAX_CALLS_PER_ANSWER);
    expect(JSON.stringify(await messages(id))).not.to.include("Too many");
  });

  it("ends a forced conclusion, whose calls are not carried out", async () => {
    const text = { text: "it was the memory, I think" };
    await fixture.play({ steps: [text, ...toolCalls(MAX_CALLS_PER_ANSWER + 1)] });
    const options = { strategy: "native-thinking", servers: ["k8s"], maxIterations: 1 } as const;
    const id = await fixture.executor.insert(options);
    expect(await fixture.run(id)).to.equal("completed");
    const rows = JSON.stringify(await messages(id));
    expect(rows.match(/Too many/gu)).to.have.length(1);
  });

  it("is one call in ReAct, whose answers ask for one", async () => {
    const action = "Thought: again\nAction: k8s.pods\nAction Input: n: 1\n";
    await fixture.play(
      { when: { call: 1 }, steps: [{ text: action.repeat(ASKED) }] },
      { steps: [{ text: "Thought: enough\nFinal Answer: it was the memory" }] },
    );
    const id = await fixture.executor.insert({ strategy: "react", servers: ["k8s"] });
    const before = await fixture.tools.calls();
    expect(await fixture.run(id)).to.equal("completed");
    expect((await fixture.tools.calls()) - before).to.be.lessThan(2);
  });

  it("is not limited by the time of its iteration: each call ends by itself", async () => {
    const name = "k8s.hang";
    const calls = Array.from({ length: 5 }, (_, n) => ({ tool_call: { name, arguments: { n } } }));
    await fixture.play({ when: { call: 1 }, steps: calls }, ANSWER);
    const id = await fixture.executor.insert({ strategy: "native-thinking", servers: ["k8s"] });
    const before = await fixture.tools.calls();
    expect(await fixture.run(id, { toolCallMs: 3_000 })).to.equal("completed");
    expect((await fixture.tools.calls()) - before).to.equal(5);
    expect(JSON.stringify(await messages(id)).match(/timed out after \d\.\d s/gu)).to.have.length(5);
  });
});
