import { expect } from "chai";
import { RunFixture } from "./run-fixture.ts";

const REACT_CALL = "Thought: look at the pods\nAction: k8s.pods\nAction Input: namespace: shop";
const REACT_ANSWER = "Thought: I know enough\nFinal Answer: the pod is out of memory";
const text = (words: string, rest: object = {}) => ({ ...rest, steps: [{ text: words, chunk_size: 5 }] });
const onCall = (call: number, words: string) => text(words, { when: { call } });
const fails = (call: number, error: object) => ({ when: { call }, steps: [{ error }] });
const OVERLOADED = { code: "overloaded", message: "too busy", retryable: true };

/** Runs scripted investigations in this process, with a real gateway and a real tool-runner. */
describe("the controllers", () => {
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.startWithTools();
  });
  after(() => fixture[Symbol.asyncDispose]());

  const run = async (
    strategy: "react" | "native-thinking" | "synthesis",
    calls: object[],
    options: object = {},
  ) => {
    await fixture.play(...calls);
    const id = await fixture.executor.insert({ strategy, servers: ["k8s"], ...options });
    await fixture.run(id);
    return id;
  };
  const rows = async (id: string) => fixture.timelineRows(id);
  const roles = async (id: string) => {
    const [row] = await fixture.executor.query(
      "SELECT json_agg(role ORDER BY sequence_number) AS roles FROM messages WHERE session_id = $1",
      [id],
    );
    return row;
  };
  const message = async (id: string, n: number) =>
    fixture.executor.query("SELECT content FROM messages WHERE session_id = $1 AND sequence_number = $2", [
      id,
      n,
    ]);

  describe("react", () => {
    it("thinks, calls a tool, reads the observation and answers", async () => {
      const id = await run("react", [onCall(1, REACT_CALL), onCall(2, REACT_ANSWER)]);
      expect(await rows(id)).to.deep.equal([
        { row: "llm_thinking completed", content: "look at the pods" },
        { row: "llm_tool_call completed", content: "namespace: shop" },
        { row: "tool_result completed", content: "pod checkout-7d9f restarts" },
        { row: "llm_thinking completed", content: "I know enough" },
        { row: "final_analysis completed", content: "the pod is out of memory" },
      ]);
      expect(await roles(id)).to.deep.equal({ roles: ["system", "user", "assistant", "user", "assistant"] });
      expect(JSON.stringify(await message(id, 4)))
        .to.include("Observation: ")
        .and.include("pod checkout-7d9f restarts");
      expect((await fixture.outcomes(id))[0]).to.include({ status: "completed" });
    });

    it("corrects the model after malformed output and an unknown tool, without rows for either", async () => {
      const id = await run("react", [
        onCall(1, "I think the disk is full."),
        onCall(2, "Thought: try\nAction: k8s.nodes\nAction Input: {}"),
        onCall(3, "Thought: try\nAction: k8s__pods\nAction Input: {}"),
        onCall(4, REACT_ANSWER),
      ]);
      expect(await rows(id)).to.deep.equal([
        { row: "llm_thinking completed", content: "try" },
        { row: "llm_thinking completed", content: "try" },
        { row: "llm_thinking completed", content: "I know enough" },
        { row: "final_analysis completed", content: "the pod is out of memory" },
      ]);
      expect(JSON.stringify(await message(id, 6)))
        .to.include("k8s.nodes")
        .and.include("k8s.pods");
      expect(JSON.stringify(await message(id, 8))).to.include('Please call \\"k8s.pods\\" instead.');
    });

    it("recovers from an LLM error: a row and a message report it, and the next iteration answers", async () => {
      const recovered = { when: { last_contains: "Error from the previous attempt: too busy" } };
      for (const [strategy, answer] of [
        ["react", REACT_ANSWER],
        ["native-thinking", "the pod is out of memory"],
      ] as const) {
        const id = await run(strategy, [text(answer, recovered), fails(1, OVERLOADED)]);
        const timeline = await rows(id);
        expect(timeline[0]).to.deep.equal({
          row: "error completed",
          content: "LLM error: too busy (code: overloaded, retryable: true)",
        });
        expect(timeline.at(-1)).to.deep.equal({
          row: "final_analysis completed",
          content: "the pod is out of memory",
        });
        expect((await fixture.outcomes(id))[0]).to.include({ status: "completed" });
      }
    });

    it("tells a model that repeated itself to be concise", async () => {
      const loop = { code: "output_loop", message: "it repeats itself", retryable: true };
      const recovered = { when: { last_contains: "concisely, and write nothing twice" } };
      for (const [strategy, answer] of [
        ["react", REACT_ANSWER],
        ["native-thinking", "the pod is out of memory"],
      ] as const) {
        const id = await run(strategy, [text(answer, recovered), fails(1, loop)]);
        expect((await fixture.outcomes(id))[0]).to.include({ status: "completed" });
      }
    });

    it("fails at the limit when its last call failed, without asking for a conclusion", async () => {
      const id = await run("react", [fails(1, OVERLOADED)], {
        maxIterations: 1,
      });
      expect((await fixture.outcomes(id))[0]).to.deep.equal({
        status: "failed",
        error_code: "overloaded",
        error_message: "max iterations (1) reached with last interaction failed: too busy",
      });
      expect(await rows(id)).to.deep.equal([
        { row: "error completed", content: "LLM error: too busy (code: overloaded, retryable: true)" },
      ]);
      expect(JSON.stringify(await message(id, 3)))
        .to.include("Observation: ")
        .and.include("too busy");
    });

    it("fails immediately on an error that is not retryable", async () => {
      const id = await run("react", [fails(1, { code: "credentials", message: "no key", retryable: false })]);
      expect((await fixture.outcomes(id))[0]).to.include({ status: "failed", error_message: "no key" });
    });

    it("forces a conclusion at the limit, from a final answer, a thought or plain text", async () => {
      for (const [reply, answer] of [
        [REACT_ANSWER, "the pod is out of memory"],
        ["Thought: it is the memory", "it is the memory"],
        ["memory, probably", "memory, probably"],
      ] as const) {
        const id = await run("react", [onCall(1, REACT_CALL), onCall(2, reply)], { maxIterations: 1 });
        expect((await rows(id)).at(-1)).to.deep.equal({ row: "final_analysis completed", content: answer });
        expect((await fixture.outcomes(id))[0]).to.include({ status: "completed" });
        expect(
          await fixture.executor.query(
            "SELECT interaction_type, llm_request ->> 'iteration' AS n FROM llm_interactions WHERE session_id = $1 ORDER BY created_at",
            [id],
          ),
        ).to.deep.equal([
          { interaction_type: "iteration", n: "1" },
          { interaction_type: "forced_conclusion", n: "2" },
          { interaction_type: "executive_summary", n: null },
        ]);
      }
    });

    it("reports a tool's error and a tool exception to the model", async () => {
      const id = await run("react", [
        onCall(1, "Thought: a\nAction: k8s.broken\nAction Input: {}"),
        onCall(2, "Thought: b\nAction: k8s.throws\nAction Input: {}"),
        onCall(3, REACT_ANSWER),
      ]);
      expect(JSON.stringify(await message(id, 4))).to.include("Error executing k8s.broken");
      expect(JSON.stringify(await message(id, 6))).to.include("Observation: Error - Tool execution failed: ");
      expect((await fixture.outcomes(id))[0]).to.include({ status: "completed" });
    });

    it("fails a live section that the complete text revokes", async () => {
      const revoked = "Final Answer: done\nAction: k8s.pods\nAction Input: {}";
      const id = await run("react", [onCall(1, revoked), onCall(2, REACT_ANSWER)]);
      const timeline = await rows(id);
      expect(timeline[0]).to.include({ row: "final_analysis failed" });
      expect(timeline.at(-1)).to.deep.equal({
        row: "final_analysis completed",
        content: "the pod is out of memory",
      });
    });
  });

  describe("native-thinking", () => {
    const calls = (...names: string[]) =>
      names.map((name) => ({ tool_call: { name, arguments: { namespace: "shop" } } }));

    it("records thinking and text with two calls, their results in order, and answers", async () => {
      const id = await run("native-thinking", [
        {
          when: { call: 1 },
          steps: [{ thinking: "hm" }, { text: "I look" }, ...calls("k8s.pods", "k8s.broken")],
        },
        { when: { call: 2 }, steps: [{ thinking: "aha" }, { text: "out of memory" }] },
      ]);
      expect(await rows(id)).to.deep.equal([
        { row: "llm_thinking completed", content: "hm" },
        { row: "llm_response completed", content: "I look" },
        { row: "llm_tool_call completed", content: '{"namespace":"shop"}' },
        { row: "llm_tool_call completed", content: '{"namespace":"shop"}' },
        { row: "tool_result completed", content: "pod checkout-7d9f restarts" },
        { row: "tool_result completed", content: "cannot reach the cluster" },
        { row: "llm_thinking completed", content: "aha" },
        { row: "llm_response completed", content: "out of memory" },
        { row: "final_analysis completed", content: "out of memory" },
      ]);
      expect(await roles(id)).to.deep.equal({
        roles: ["system", "user", "assistant", "tool", "tool", "assistant"],
      });
    });

    it("answers a call of an unknown tool without counting it as a failure", async () => {
      const id = await run(
        "native-thinking",
        [{ when: { call: 1 }, steps: calls("k8s.nothing") }, onCall(2, "so be it")],
        { maxIterations: 1 },
      );
      expect((await rows(id))[1]).to.deep.equal({
        row: "tool_result completed",
        content: 'Error executing tool: unknown tool "k8s.nothing"',
      });
      expect((await fixture.outcomes(id))[0]).to.include({ status: "completed" });
    });

    it("treats thinking without text as a failed iteration", async () => {
      const id = await run("native-thinking", [{ steps: [{ thinking: "only thinking" }] }], {
        maxIterations: 1,
      });
      expect((await fixture.outcomes(id))[0]).to.include({ status: "failed", error_code: "empty_response" });
    });
  });

  it("uses the thinking of a synthesis without text as its answer, and records its interaction type", async () => {
    const id = await run("synthesis", [{ steps: [{ thinking: "all agree" }] }]);
    expect((await rows(id)).at(-1)).to.deep.equal({ row: "final_analysis completed", content: "all agree" });
    expect(
      await fixture.executor.query(
        "SELECT interaction_type FROM llm_interactions WHERE session_id = $1 ORDER BY created_at",
        [id],
      ),
    ).to.deep.equal([{ interaction_type: "synthesis" }, { interaction_type: "executive_summary" }]);
  });

  it("records code that the provider executed and the sources it used", async () => {
    const id = await run("native-thinking", [
      {
        steps: [
          { code_execution: { code: "print(1)", result: "1" } },
          { text: "one" },
          {
            grounding: {
              web_search_queries: ["q"],
              grounding_chunks: [{ uri: "https://a.example", title: "A" }],
            },
          },
        ],
      },
    ]);
    expect(await rows(id)).to.deep.equal([
      { row: "llm_response completed", content: "one" },
      { row: "code_execution completed", content: "```python\nprint(1)\n```\n\nOutput:\n```\n1\n```" },
      {
        row: "google_search_result completed",
        content: "Google Search: 'q' → Sources: A (https://a.example)",
      },
      { row: "final_analysis completed", content: "one" },
    ]);
  });

  it("ends everything open immediately when the session times out or is cancelled during a tool call", async () => {
    await fixture.play(onCall(1, "Thought: wait\nAction: k8s.hang\nAction Input: {}"));
    const options = { strategy: "react", servers: ["k8s"] } as const;
    const late = await fixture.executor.insert(options);
    const lateRun = await fixture.begin(late);
    await fixture.openRows(late, 2);
    fixture.stop(late, "session_deadline");
    expect(await lateRun.end).to.equal("timed_out");
    const cancelled = await fixture.executor.insert(options);
    const { end } = await fixture.begin(cancelled);
    await fixture.openRows(cancelled, 2);
    await fixture.executor.cancel(cancelled);
    expect(await end).to.equal("cancelled");
    for (const id of [late, cancelled]) {
      expect(await rows(id)).to.deep.equal([
        { row: "llm_thinking completed", content: "wait" },
        { row: "llm_tool_call completed", content: "{}" },
      ]);
      const statuses = (await fixture.outcomes(id)).map((row) => JSON.stringify(row));
      expect(new Set(statuses).size).to.equal(1);
    }
  });

  it("aborts after two timeouts in a row", async () => {
    const id = await run("react", [{ steps: [{ hang: true }] }], { iterationTimeoutMs: 300 });
    expect((await fixture.outcomes(id))[0]).to.deep.equal({
      status: "failed",
      error_code: "timeout",
      error_message: "aborted after 2 consecutive timeouts (iteration 3/20): LLM call timed out after 0.3 s",
    });
  });
});
