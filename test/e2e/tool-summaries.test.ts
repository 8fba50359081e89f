import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import { describeNightly } from "../support/nightly.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { ASKS_FOR_TOOL_SUMMARY, SUMMARY_CALL } from "../support/scripts.ts";

const SUMMARY = "600 lines, each a thousand times the letter x; no error, and no checkout pod among them";

const TARSY = {
  defaults: {
    llm_provider: "scripted",
    alert_type: "test",
    summarization: { llm_provider: "summarizer" },
  },
  mcp_servers: {
    k8s: { transport: { type: "stdio", command: "true" }, summarization: { size_threshold_tokens: 500 } },
  },
  agents: { TestAgent: { mcp_servers: ["k8s"], iteration_strategy: "native-thinking" } },
};

const SCRIPT = {
  calls: [
    SUMMARY_CALL,
    { when: { call: 1 }, steps: [{ tool_call: { name: "k8s.events", arguments: { namespace: "shop" } } }] },
    { when: { last_contains: SUMMARY }, steps: [{ text: "nothing to see" }] },
  ],
};

const SUMMARIZER = {
  calls: [{ when: ASKS_FOR_TOOL_SUMMARY, steps: [{ text: SUMMARY, chunk_size: 8, chunk_delay: "200ms" }] }],
};

describeNightly("a large tool result in the pipeline", () => {
  let pipeline: PipelineFixture;

  before(async () => {
    pipeline = await PipelineFixture.start({
      config: {
        tarsy: TARSY,
        providers: {
          llm_providers: {
            scripted: { type: "scripted", model: "scripted-test", script: "script.yaml" },
            summarizer: { type: "scripted", model: "small-test", script: "summarizer.yaml" },
          },
        },
        script: SCRIPT,
        stubTools: {
          call_log: "calls.jsonl",
          servers: { k8s: { events: { read_only: false, results: [{ bytes: 600_000 }] } } },
        },
      },
      files: { "summarizer.yaml": stringify(SUMMARIZER) },
    });
  });
  after(() => pipeline[Symbol.asyncDispose]());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  it("is summarized live, in one entry and with one call of the tool, also when the executor is killed meanwhile", async () => {
    const { client, system, servers, configDir } = pipeline;
    const { id, watch } = await pipeline.submitWatched("disk full");
    using _ = watch;
    await watch.next("stream.chunk");
    await system.stop("executor", "SIGKILL");
    await system.startService("executor");
    const session = await client.waitFor(id, ["completed", "failed", "timed_out"]);
    expect(session.status, session.error_message ?? "").to.equal("completed");
    await watch.next("session.completed");
    const entries = session.timeline.map(({ event_type, status }) => `${event_type} ${status}`);
    expect(entries.filter((entry) => /tool/u.test(entry))).to.deep.equal([
      "llm_tool_call completed",
      "tool_result completed",
      "mcp_tool_summary completed",
    ]);
    const entry = session.timeline.find(({ event_type }) => event_type === "mcp_tool_summary");
    expect(entry?.content).to.equal(SUMMARY);
    expect(watch.streamed(entry?.event_id)).to.equal(SUMMARY);
    expect((await readFile(join(configDir, "calls.jsonl"), "utf8")).trim().split("\n")).to.have.length(1);
    const calls = await servers.query(
      `SELECT '/api/v1/sessions/' || session_id || '/trace/llm/' || interaction_id AS path FROM llm_interactions
       WHERE session_id = $1 AND interaction_type = 'summarization'`,
      [id],
    );
    expect(calls).to.have.length(1);
    const path: unknown = Reflect.get(Object(calls[0]), "path");
    const { status, body } = await client.request("GET", String(path));
    expect(status).to.equal(200);
    expect(body).to.have.nested.property("llm_provider.name", "summarizer");
    expect(body).to.have.nested.property("conversation[1].content").that.includes("disk full");
  });
});
