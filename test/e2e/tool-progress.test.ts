import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { describeNightly } from "../support/nightly.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { SUMMARY_CALL } from "../support/scripts.ts";

const SERVER = join(import.meta.dirname, "..", "support", "mcp-servers", "walking-server.ts");

const configuration = (file: string) => ({
  tarsy: {
    defaults: { llm_provider: "scripted", alert_type: "native" },
    mcp_servers: {
      legs: {
        transport: { type: "stdio", command: process.execPath, args: [SERVER] },
        tools: { read_only: ["*"] },
      },
    },
    agents: { Investigator: { mcp_servers: ["legs"] } },
    agent_chains: {
      native: {
        alert_types: ["native"],
        description: "native",
        stages: [
          { name: "analysis", agents: [{ name: "Investigator", iteration_strategy: "native-thinking" }] },
        ],
      },
    },
  },
  providers: {
    llm_providers: { scripted: { type: "scripted", model: "scripted-test", script: "script.yaml" } },
  },
  script: {
    calls: [
      SUMMARY_CALL,
      { when: { call: 1 }, steps: [{ tool_call: { name: "legs.walk", arguments: { until: file } } }] },
      { steps: [{ text: "It has arrived." }] },
    ],
  },
});

describeNightly("the progress of a tool call, through all five services", () => {
  const resources = new AsyncDisposableStack();
  let pipeline: PipelineFixture;
  let file: string;

  before(async () => {
    const directory = await mkdtemp(join(tmpdir(), "tarsy-walk-"));
    resources.defer(async () => rm(directory, { recursive: true, force: true }));
    file = join(directory, "arrived");
    pipeline = resources.use(await PipelineFixture.start({ config: configuration(file) }));
  });
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });
  after(() => resources.disposeAsync());

  it("is sent to those who watch the session while it runs, and stored nowhere", async () => {
    const { client, servers } = pipeline;
    const id = await client.submit("how far is it?");
    using watch = await client.watch(id, { after_seq: 0 });
    const progress = await watch.next("tool.progress");
    // The call ends only now.
    await writeFile(file, "");
    await watch.next("session.completed");
    const calls = watch.messages.filter(({ event_type }) => event_type === "llm_tool_call");
    expect(calls).to.have.length(1);
    const [call] = calls;
    expect(progress).to.have.all.keys(
      ..."type session_id execution_id event_id progress total message timestamp".split(" "),
    );
    expect(progress).to.include({
      session_id: id,
      execution_id: call?.["execution_id"],
      event_id: call?.["event_id"],
      total: 3_000,
      message: `step ${String(progress["progress"])}`,
    });
    const order = watch.messages
      .map(({ type, event_type }) => (type === "tool.progress" ? type : event_type))
      .filter((what) => what === "tool.progress" || what === "llm_tool_call" || what === "tool_result");
    expect([order[0], order.at(-1)]).to.deep.equal(["llm_tool_call", "tool_result"]);
    const stored = await servers.query(
      "SELECT seq FROM events WHERE session_id = $1 AND payload::text LIKE '%step %'",
      [id],
    );
    expect(stored).to.deep.equal([]);
  });
});
