import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { RunFixture } from "./run-fixture.ts";
import { insertInSmallWorld, LARGE, MISS } from "./small-world.ts";

const parseResult = compileParser(
  "result",
  Type.Object({ content: Type.String(), is_error: Type.Boolean(), kind: Type.String() }),
);
const RESULTS = `
SELECT tool_result ->> 'content' AS content, (tool_result ->> 'is_error')::boolean AS is_error, outcome ->> 'kind' AS kind
FROM mcp_interactions WHERE session_id = $1 AND interaction_type = 'tool_call'
ORDER BY (outcome ->> 'iteration')::int, (outcome ->> 'index')::int`;

describe("a session in a world", () => {
  const resources = new AsyncDisposableStack();
  let fixture: RunFixture;

  before(async () => {
    fixture = resources.use(await RunFixture.start());
  });
  after(() => resources.disposeAsync());

  /** Runs a session that makes these calls, one in each answer of the model. */
  const run = async (...calls: readonly (readonly [name: string, args: object])[]): Promise<string> => {
    await fixture.play(
      ...calls.map(([name, args], n) => ({
        when: { call: n + 1 },
        steps: [{ tool_call: { name: `k8s.${name}`, arguments: args } }],
      })),
      { steps: [{ text: "it was the memory" }] },
    );
    const id = await insertInSmallWorld(fixture.executor, "native-thinking");
    expect(await fixture.run(id)).to.equal("completed");
    return id;
  };
  const results = async (id: string) => (await fixture.executor.query(RESULTS, [id])).map(parseResult);
  const texts = async (id: string) => (await results(id)).map(({ content }) => content);

  it("gets the answers to equal calls in their order, and the last one again", async () => {
    const id = await run(["pods", {}], ["pods", { ns: "default" }], ["pods", { namespace: " default " }]);
    expect(await texts(id)).to.deep.equal(["pending", "running", "running"]);
  });

  it("gets the answer with the most equal arguments, what does not exist, and otherwise a miss, and counts each", async () => {
    const id = await run(
      ["logs", { namespace: "shop", lines: 5 }],
      ["logs", { namespace: "shop", pod: "cart", lines: 5 }],
      ["pods", { namespace: "empty" }],
      ["pods", { namespace: "other" }],
    );
    expect(await results(id)).to.deep.equal([
      { content: "logs of shop", is_error: false, kind: "result" },
      { content: "logs of cart", is_error: false, kind: "result" },
      { content: "No resources found in empty.", is_error: false, kind: "result" },
      { content: MISS, is_error: true, kind: "result" },
    ]);
    const counts = await fixture.executor.query(
      "SELECT tool, match, count(*)::int FROM world_calls WHERE session_id = $1 GROUP BY 1, 2 ORDER BY 1, 2",
      [id],
    );
    expect(counts).to.deep.equal([
      { tool: "k8s.logs", match: "answer", count: 2 },
      { tool: "k8s.pods", match: "absent", count: 1 },
      { tool: "k8s.pods", match: "miss", count: 1 },
    ]);
  });

  it("refuses arguments and unknown tools as always, which are no misses", async () => {
    const id = await run(["logs", { pod: "cart" }], ["unheard", {}]);
    const [refused, unknown] = await results(id);
    expect(refused?.content).to.match(/must have required property 'namespace'.*The call was not made/u);
    expect(unknown?.kind).to.equal("unknown_tool");
    expect(await fixture.executor.query("SELECT FROM world_calls WHERE session_id = $1", [id])).to.deep.equal(
      [],
    );
  });

  it("keeps a large answer whole beside its window, and masks secrets", async () => {
    const id = await run(["large", {}], ["secret", {}]);
    const [large, secret] = await results(id);
    expect(large?.is_error).to.equal(true);
    expect(large?.content.length).to.be.lessThan(LARGE.length);
    expect(large?.content).to.contain("All of it is kept: read on with");
    const kept = await fixture.executor.query("SELECT content FROM tool_results WHERE session_id = $1", [id]);
    expect(kept).to.deep.equal([{ content: LARGE }]);
    expect(secret?.content).to.match(/^password: \[MASKED_\w+:[0-9a-f]{6}\]$/u);
    const masked = await fixture.executor.query("SELECT FROM masked_values WHERE session_id = $1", [id]);
    expect(masked).to.not.deep.equal([]);
  });
});
