import { expect } from "chai";
import { uuidFrom } from "#shared/uuid-from.ts";
import { toolCallId } from "#shared/contracts/tool-call.ts";
import { ASKS_FOR_TOOL_SUMMARY } from "../../../test/support/scripts.ts";
import { scriptedProvider } from "./resolved-chain.ts";
import { RunFixture, type RunWithTools } from "./run-fixture.ts";

type Strategy = "react" | "native-thinking";

const BYTES = 600_000;
const SUMMARIES = { threshold_tokens: 5_000, max_tokens: 100 };

/** The id under which the result of a session's nth call is kept. */
const handleOf = (sessionId: string, iteration = 1, index = 0) =>
  toolCallId(uuidFrom("execution:1", uuidFrom("stage:1", sessionId)), { iteration, index });

const summary = (...steps: object[]) => ({ when: ASKS_FOR_TOOL_SUMMARY, steps });
const fails = (code: string, rest: object = {}) => ({
  error: { code, message: `${code}!`, retryable: false, ...rest },
});

/** The nth call of the model asks for these tools; a ReAct agent for one. */
const asks = (strategy: Strategy, number: number, ...names: string[]) => ({
  when: { call: number },
  steps:
    strategy === "react"
      ? [{ text: `Thought: look\nAction: ${names[0]}\nAction Input: {}` }]
      : names.map((name) => ({ tool_call: { name, arguments: {} } })),
});
const answers = (strategy: Strategy) => ({
  steps: [{ text: strategy === "react" ? "Thought: enough\nFinal Answer: it was x" : "it was x" }],
});

/** As a message to the model has it. */
const framed = (text: string) =>
  `<!-- TOOL_OUTPUT_START 5e5510110000 -->\n${text}\n<!-- TOOL_OUTPUT_END 5e5510110000 -->`;

describe("the summary of a large tool result", () => {
  let fixture: RunWithTools;

  before(async () => {
    fixture = await RunFixture.startWithTools({ others: ["second", "third"] });
  });
  after(() => fixture[Symbol.asyncDispose]());

  const insert = async (
    strategy: Strategy,
    { summaries = SUMMARIES, ...rest }: Parameters<typeof fixture.executor.insert>[0] = {},
  ) => fixture.executor.insert({ strategy, servers: ["k8s"], summaries, ...rest });

  const query = async (sql: string, id: string) => fixture.executor.query(sql, [id]);
  const told = async (id: string) =>
    query(
      `SELECT role::text, content FROM messages WHERE session_id = $1 AND sequence_number > 3 AND role <> 'assistant'
       ORDER BY sequence_number`,
      id,
    );
  const rows = async (id: string) =>
    query(
      `SELECT status::text, content, metadata FROM timeline_events
       WHERE session_id = $1 AND event_type = 'mcp_tool_summary' ORDER BY sequence_number`,
      id,
    );
  const calls = async (id: string) =>
    query(
      `SELECT llm_request->>'provider' AS provider, error_code AS error FROM llm_interactions
       WHERE session_id = $1 AND interaction_type = 'summarization' ORDER BY created_at`,
      id,
    );
  const metadata = (provider: string, isFallback: boolean) => ({
    server_name: "k8s",
    tool_name: "large",
    original_tokens: BYTES / 4,
    summarization_model: `${provider}-test`,
    summarization_provider: provider,
    summarization_fallback: isFallback,
  });
  const note = (id: string, handle = handleOf(id)) =>
    `[Summary, by a model, of a result that is too large to be shown: 600000 bytes (about 150000 tokens) in 600 lines.\n` +
    `The whole text is kept: read on with tarsy.result_read, tarsy.result_search, tarsy.result_json, id "${handle}".]`;

  for (const strategy of ["react", "native-thinking"] as const) {
    it(`takes its place, with one call of the tool: ${strategy}`, async () => {
      await fixture.play(
        summary({ thinking: "hm" }, { text: "  all lines are x  ", chunk_size: 5 }),
        asks(strategy, 1, "k8s.large"),
        answers(strategy),
      );
      const undisturbed = await insert(strategy);
      const called = await fixture.tools.calls();
      expect(await fixture.run(undisturbed)).to.equal("completed");
      expect(await fixture.tools.calls()).to.equal(called + 1);
      const [message] = await told(undisturbed);
      const text = `${note(undisturbed)}\nall lines are x`;
      expect(message).to.deep.equal(
        strategy === "react"
          ? { role: "user", content: `Observation: ${framed(text)}` }
          : { role: "tool", content: framed(text) },
      );
      expect(await rows(undisturbed)).to.deep.equal([
        { status: "completed", content: "all lines are x", metadata: metadata("scripted", false) },
      ]);
      expect(await calls(undisturbed)).to.deep.equal([{ provider: "scripted", error: null }]);
      const log = await fixture.eventLog(undisturbed);
      expect(log).to.deep.include.members([
        { event: "timeline_event.created mcp_tool_summary streaming" },
        { event: "timeline_event.completed mcp_tool_summary completed" },
      ]);
    });
  }

  it("is written by the next provider after an error, and by that one for the rest of the execution", async () => {
    await fixture.play(
      summary({ text: "half a" }, fails("content_blocked")),
      asks("native-thinking", 1, "k8s.large", "k8s.large"),
      answers("native-thinking"),
    );
    await fixture.playOn("second", summary({ text: "   " }));
    await fixture.playOn("third", summary({ text: "only x" }));
    const id = await insert("native-thinking", { fallbacks: ["second", "third"] });
    expect(await fixture.run(id)).to.equal("completed");
    expect(await calls(id)).to.deep.equal([
      { provider: "scripted", error: "content_blocked" },
      { provider: "second", error: "empty_response" },
      { provider: "third", error: null },
      { provider: "third", error: null },
    ]);
    expect(await rows(id)).to.deep.equal(
      [1, 2].map(() => ({ status: "completed", content: "only x", metadata: metadata("third", true) })),
    );
    expect(await told(id)).to.deep.equal(
      [0, 1].map((index) => ({
        role: "tool",
        content: framed(`${note(id, handleOf(id, 1, index))}\nonly x`),
      })),
    );
    // The investigation goes on with its own provider.
    expect(await query("SELECT llm_provider FROM agent_executions WHERE session_id = $1", id)).to.deep.equal([
      { llm_provider: "scripted" },
    ]);
    expect(await query("SELECT degraded FROM alert_sessions WHERE session_id = $1", id)).to.deep.equal([
      { degraded: false },
    ]);
  });

  it("is not made when all providers have failed: the shown part stays, and the row says so", async () => {
    await fixture.play(
      summary({ text: "half a" }, fails("provider_error")),
      asks("native-thinking", 1, "k8s.large"),
      answers("native-thinking"),
    );
    await fixture.playOn("second", summary(fails("rate_limited", { retryable: true, retry_after: "50s" })));
    const id = await insert("native-thinking", { fallbacks: ["second"] });
    expect(await fixture.run(id)).to.equal("completed");
    expect(await calls(id)).to.deep.equal([
      { provider: "scripted", error: "provider_error" },
      { provider: "second", error: "rate_limited" },
    ]);
    expect(await rows(id)).to.deep.equal([
      {
        status: "failed",
        content: "No summary: rate_limited!. The model was shown a part of the result instead.",
        metadata: metadata("second", true),
      },
    ]);
    const [message] = await told(id);
    expect(message)
      .to.have.property("content")
      .that.matches(/^<!-- TOOL_OUTPUT_START \w+ -->\n\[Cut: this result has 600000 bytes/u);
    expect(
      await query(
        "SELECT iteration_state ? 'pending_summaries' AS left FROM agent_executions WHERE session_id = $1",
        id,
      ),
    ).to.deep.equal([{ left: false }]);
  });

  it("is written by the named provider, and cut at its limit with a remark", async () => {
    await fixture.playOn("third", summary({ text: "long ".repeat(200) }, { usage: { input_tokens: 7 } }));
    await fixture.play(asks("native-thinking", 1, "k8s.large"), answers("native-thinking"));
    const llm_provider = scriptedProvider("third", "third.yaml");
    const id = await insert("native-thinking", { summaries: { ...SUMMARIES, llm_provider } });
    expect(await fixture.run(id)).to.equal("completed");
    const [row] = await rows(id);
    expect(row).to.deep.include({ status: "completed", metadata: metadata("third", false) });
    expect(row)
      .to.have.property("content")
      .that.equals(`${"long ".repeat(80).trim()}…\n[The summary is cut here: it is longer than 100 tokens.]`);
  });

  it("is asked for with the conversation and both ends of the text, without tools, and recorded without the text", async () => {
    await fixture.play(
      { when: { ...ASKS_FOR_TOOL_SUMMARY, tools: true }, steps: [{ text: "there were tools" }] },
      { when: { contains: "[… not shown: 200000 characters …]" }, steps: [{ text: "both ends" }] },
      asks("native-thinking", 1, "k8s.large"),
      answers("native-thinking"),
    );
    const id = await insert("native-thinking", { alert: "the alert's words" });
    expect(await fixture.run(id)).to.equal("completed");
    expect(await rows(id)).to.have.nested.property("[0].content", "both ends");
    const [recorded] = await query(
      `SELECT llm_request->'messages'->1->>'content' AS prompt FROM llm_interactions
       WHERE session_id = $1 AND interaction_type = 'summarization'`,
      id,
    );
    expect(recorded)
      .to.have.property("prompt")
      .that.includes("the alert's words")
      .and.includes("Calls k8s.large with {}")
      .and.includes("CONVERSATION_START 5e5510110000")
      .and.includes(`of the result that is kept under the id ${handleOf(id)}]`)
      .and.has.length.lessThan(20_000);
  });

  it("is not made of results at most as long as the threshold, or of servers whose results are not summarized", async () => {
    await fixture.play(
      summary({ text: "a summary" }),
      asks("native-thinking", 1, "k8s.pods", "k8s.large"),
      answers("native-thinking"),
    );
    const small = await insert("native-thinking", {
      summaries: { threshold_tokens: 150_000, max_tokens: 100 },
    });
    const none = await fixture.executor.insert({ strategy: "native-thinking", servers: ["k8s"] });
    for (const id of [small, none]) {
      expect(await fixture.run(id)).to.equal("completed");
      expect(await calls(id)).to.deep.equal([]);
      expect(await rows(id)).to.deep.equal([]);
    }
  });
});
