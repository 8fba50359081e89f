import { expect } from "chai";
import { describeNightly } from "../support/nightly.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { SUMMARY_CALL } from "../support/scripts.ts";
import { until } from "../support/until.ts";

const AGENTS = (name: string) => [{ name, iteration_strategy: "native-thinking" }];
const TARSY = {
  defaults: { llm_provider: "scripted", alert_type: "acting" },
  mcp_servers: { k8s: { transport: { type: "stdio", command: "true" } } },
  agents: { Investigator: { mcp_servers: ["k8s"] }, Fixer: { type: "action", mcp_servers: ["k8s"] } },
  agent_chains: {
    "acting-chain": {
      alert_types: ["acting"],
      chat: { iteration_strategy: "native-thinking" },
      stages: [
        { name: "look", agents: AGENTS("Investigator") },
        { name: "repair", agents: AGENTS("Fixer") },
      ],
    },
    "failing-chain": {
      alert_types: ["failing"],
      chat: { iteration_strategy: "native-thinking" },
      stages: ["one", "two", "three"].map((name) => ({ name, agents: AGENTS("Investigator") })),
    },
    "kubernetes-agent-chain": {
      alert_types: ["kubernetes"],
      stages: [{ name: "look", agents: AGENTS("Investigator") }],
    },
  },
};
const STUB_TOOLS = {
  servers: {
    k8s: {
      pods: { description: "Lists pods", read_only: true, results: [{ text: "checkout-7d9f restarts" }] },
    },
  },
};
const CHAT = "CURRENT TASK";
const SCRIPT = {
  calls: [
    SUMMARY_CALL,
    {
      when: { contains: [CHAT, "**Question:** Look"], call: 1 },
      steps: [{ tool_call: { name: "k8s.pods", arguments: {} } }],
    },
    { when: { contains: CHAT }, steps: [{ text: "the answer: memory of the pod", chunk_size: 4 }] },
    {
      when: { contains: "BROKEN" },
      steps: [{ error: { code: "content_blocked", message: "we do not answer this", retryable: false } }],
    },
    { when: { agent: "Fixer" }, steps: [{ text: "revision 17 is rolled back\n\nACTIONS_EXECUTED: no" }] },
    { steps: [{ text: "it was the memory" }] },
  ],
};

describeNightly("a chat about an ended session, through all five services", () => {
  let pipeline: PipelineFixture;

  before(async () => {
    pipeline = await PipelineFixture.start({
      config: { tarsy: TARSY, script: SCRIPT, stubTools: STUB_TOOLS },
    });
  });
  after(() => pipeline[Symbol.asyncDispose]());

  const ended = async (type = "acting", data = "pods restart", status = "completed") => {
    const id = await pipeline.client.submit(data, { alert_type: type });
    await pipeline.client.waitFor(id, [status]);
    return id;
  };
  const ask = async (id: string, content: string) => {
    const path = `/api/v1/sessions/${id}/chat/messages`;
    const { status, body } = await pipeline.client.request("POST", path, { content });
    expect(status, JSON.stringify(body)).to.equal(202);
    return String(body["stage_id"]);
  };
  const stages = async (id: string) =>
    pipeline.servers.query(
      "SELECT stage_index, stage_type, status::text FROM stages WHERE session_id = $1 ORDER BY stage_index",
      [id],
    );
  const statusOf = async (stage: string) => {
    const rows = await pipeline.servers.query("SELECT status::text FROM stages WHERE stage_id = $1", [stage]);
    return JSON.stringify(rows[0]);
  };
  const over = async (stage: string) =>
    until("the answer is complete", async () => (await statusOf(stage)) === '{"status":"completed"}');

  it("streams an answer, and the next one knows it and what the action stage did", async () => {
    const id = await ended();
    const before = await pipeline.client.session(id);
    using watch = await pipeline.client.watch(id, { after_seq: 0 });
    await watch.next("session.completed");
    const first = await ask(id, "Look at the pods. Why?");
    await watch.until("the answer has ended", () =>
      watch.messages.some((one) => one["type"] === "stage.completed" && one["stage_id"] === first),
    );
    const answered = watch.messages.find(
      (one) =>
        one["event_type"] === "llm_response" && one["stage_id"] === first && one["status"] === "streaming",
    );
    expect(watch.streamed(answered?.["event_id"])).to.equal("the answer: memory of the pod");
    await over(await ask(id, "Are you sure?"));
    const [prompt] = await pipeline.servers.query(
      `SELECT m.content FROM messages m JOIN stages USING (stage_id)
       WHERE m.session_id = $1 AND role = 'user' ORDER BY stage_index DESC, sequence_number LIMIT 1`,
      [id],
    );
    expect(JSON.stringify(prompt))
      .to.include("Are you sure?")
      .and.include("the answer: memory of the pod")
      .and.include("checkout-7d9f restarts")
      .and.include("revision 17 is rolled back");
    const after = await pipeline.client.session(id);
    expect(after).to.deep.include({ status: "completed", chat_message_count: 2 });
    expect(after).to.have.property("completed_at").that.deep.equals(Reflect.get(before, "completed_at"));
    expect(await stages(id)).to.deep.equal([
      { stage_index: 1, stage_type: "investigation", status: "completed" },
      { stage_index: 2, stage_type: "action", status: "completed" },
      { stage_index: 3, stage_type: "chat", status: "completed" },
      { stage_index: 4, stage_type: "chat", status: "completed" },
    ]);
  });

  it("does not resume a chain that failed in its first stage, and takes a number after its last", async () => {
    const id = await ended("failing", "BROKEN", "failed");
    await over(await ask(id, "What went wrong?"));
    expect(await stages(id)).to.deep.equal([
      { stage_index: 1, stage_type: "investigation", status: "failed" },
      { stage_index: 4, stage_type: "chat", status: "completed" },
    ]);
    expect(await pipeline.client.session(id)).to.deep.include({ status: "failed" });
  });
});
