import { expect } from "chai";
import { describeNightly } from "../support/nightly.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { SUMMARY_CALL } from "../support/scripts.ts";
import type { TarsyClient } from "../support/tarsy-client.ts";
import { traceCalls } from "../support/trace-calls.ts";

const CHAIN = (strategy: string) => ({
  alert_types: [strategy],
  stages: [{ name: "analysis", agents: [{ name: "Investigator", iteration_strategy: strategy }] }],
});

const TARSY = {
  defaults: { llm_provider: "scripted", alert_type: "react" },
  mcp_servers: {
    k8s: { transport: { type: "stdio", command: "true" }, instructions: "Prefer one namespace." },
    logs: { transport: { type: "stdio", command: "true" }, instructions: "Ask for few lines." },
  },
  agents: { Investigator: { mcp_servers: ["k8s"] } },
  agent_chains: {
    "react-chain": CHAIN("react"),
    "native-chain": CHAIN("native-thinking"),
    "kubernetes-agent-chain": { ...CHAIN("react"), alert_types: ["kubernetes"] },
  },
};

const STUB_TOOLS = {
  servers: {
    k8s: {
      pods: { description: "Lists pods", read_only: true, results: [{ text: "checkout-7d9f restarts" }] },
    },
    logs: {
      tail: { description: "Newest lines", read_only: true, results: [{ text: "OOMKilled" }] },
      search: { description: "Finds lines", read_only: true },
    },
  },
};

const THOUGHT = "the pods come first, so I look at them";
const SCRIPT = {
  calls: [
    SUMMARY_CALL,
    {
      when: { call: 1, contains: "**logs.tail**" },
      steps: [{ text: "Thought: logs then\nAction: logs.tail\nAction Input: lines: 5", chunk_size: 4 }],
    },
    {
      when: { call: 1, tools: true },
      steps: [{ thinking: "hm" }, { tool_call: { name: "k8s.pods", arguments: { namespace: "shop" } } }],
    },
    {
      when: { call: 1 },
      steps: [
        { text: `Thought: ${THOUGHT}\nAction: k8s.pods\nAction Input: namespace: shop`, chunk_size: 4 },
      ],
    },
    {
      when: { last_contains: "Observation" },
      steps: [{ text: "Thought: clear\nFinal Answer: **memory** 💾", chunk_size: 3 }],
    },
    { steps: [{ text: "**memory** 💾", chunk_size: 3 }] },
  ],
};

describeNightly("agents with tools, through all five services", () => {
  let pipeline: PipelineFixture;
  let client: TarsyClient;

  before(async () => {
    pipeline = await PipelineFixture.start({
      config: { tarsy: TARSY, script: SCRIPT, stubTools: STUB_TOOLS },
    });
    ({ client } = pipeline);
  });
  after(() => pipeline[Symbol.asyncDispose]());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  const timelineOf = async (id: string) => {
    const { timeline } = await client.session(id);
    return timeline.map(({ event_type, content }) => [event_type, content]);
  };

  it("streams the sections of a ReAct answer, but not the action", async () => {
    const { id, watch } = await pipeline.submitWatched("pods restart", { alert_type: "react" });
    using _ = watch;
    await watch.next("session.completed");
    expect(await timelineOf(id)).to.deep.equal([
      ["llm_thinking", THOUGHT],
      ["llm_tool_call", "namespace: shop"],
      ["tool_result", "checkout-7d9f restarts"],
      ["llm_thinking", "clear"],
      ["final_analysis", "**memory** 💾"],
      ["executive_summary", "In short."],
    ]);
    const { timeline } = await client.session(id);
    for (const { event_id, event_type, content } of timeline) {
      const isStreamed = event_type === "llm_thinking" || event_type === "final_analysis";
      if (isStreamed) expect(watch.streamed(event_id).trim()).to.equal(content);
    }
    const withoutTimes = (metadata: unknown) =>
      typeof metadata === "object" && metadata !== null
        ? Object.fromEntries(Object.entries(metadata).filter(([name]) => name !== "duration_ms"))
        : metadata;
    expect(timeline.map(({ metadata }) => withoutTimes(metadata))).to.deep.equal([
      { source: "react" },
      { tool_name: "pods", server_name: "k8s", arguments: { namespace: "shop" } },
      {
        tool_name: "pods",
        server_name: "k8s",
        is_error: false,
        call_event_id: timeline[1]?.event_id,
      },
      { source: "react" },
      undefined,
      undefined,
    ]);
  });

  it("binds tools to a native call and rebuilds the model's input from rows", async () => {
    const id = await client.submit("pods restart", { alert_type: "native-thinking" });
    await client.waitFor(id, ["completed"]);
    expect((await timelineOf(id)).map(([type]) => type)).to.deep.equal([
      "llm_thinking",
      "llm_tool_call",
      "tool_result",
      "llm_response",
      "final_analysis",
      "executive_summary",
    ]);
    const { body: trace } = await client.request("GET", `/api/v1/sessions/${id}/trace`);
    const { llm, tools } = traceCalls(trace);
    expect(llm).to.have.length(3);
    // The listings of the server and of the built-in tools, and the call.
    expect(tools).to.have.length(3);
    const interactionId = llm[1]?.id;
    const { status, body } = await client.request(
      "GET",
      `/api/v1/sessions/${id}/trace/llm/${String(interactionId)}`,
    );
    expect(status).to.equal(200);
    const conversation: unknown[] = Array.isArray(body["conversation"]) ? body["conversation"] : [];
    expect(
      conversation.map((message: unknown): unknown => Reflect.get(Object(message), "role")),
    ).to.deep.equal(["system", "user", "assistant", "tool", "assistant"]);
    expect(body["tools"]).to.have.nested.property("[0].name", "k8s.pods");
    expect(body["llm_provider"]).to.include({ name: "scripted", type: "scripted" });
    expect((await client.request("GET", `/api/v1/sessions/${id}/trace/llm/${id}`)).status).to.equal(404);
    expect((await client.request("GET", `/api/v1/sessions/${id}/trace/llm/x`)).status).to.equal(400);
  });

  it("offers exactly the servers and tools that the alert selects", async () => {
    const id = await client.submit("pods restart", {
      alert_type: "react",
      mcp: { servers: [{ name: "logs", tools: ["tail"] }] },
    });
    await client.waitFor(id, ["completed"]);
    expect((await timelineOf(id))[2]).to.deep.equal(["tool_result", "OOMKilled"]);
    const { body } = await client.request("GET", `/api/v1/sessions/${id}/trace`);
    const listed = JSON.stringify(traceCalls(body).tools);
    expect(listed).to.include("logs.tail").and.not.include("logs.search").and.not.include("k8s.pods");
  });
});
