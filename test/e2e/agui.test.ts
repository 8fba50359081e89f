import { expect } from "chai";
import { stringify } from "yaml";
import { AguiAgent } from "../support/agui-agent.ts";
import { BROKEN_SCRIPT, CONTRACT_CONFIG, TOKEN } from "../support/contract-config.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { until } from "../support/until.ts";

const types = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);

describe("AG-UI, in the whole system", () => {
  let pipeline: PipelineFixture;

  before(async () => {
    pipeline = await PipelineFixture.start({
      config: CONTRACT_CONFIG,
      files: { "broken.yaml": stringify(BROKEN_SCRIPT) },
      env: { APPROVAL_TOKEN: TOKEN },
    });
  });
  after(() => pipeline[Symbol.asyncDispose]());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  const agent = () =>
    new AguiAgent({
      url: `${pipeline.system.api}/api/v1/agui`,
      headers: { authorization: `Bearer ${TOKEN}` },
    });

  it("tells agents, their sub-agents and tools, asks before a call, and goes on by the answer; then it answers a question", async () => {
    const client = agent();
    client.say("disk full");
    const asked = await client.run({ forwardedProps: { alert_type: "full" } });
    expect(asked.events.at(-1)).to.include({ type: "RUN_FINISHED" });
    expect(asked.interrupts).to.have.length(1);
    const [interrupt] = asked.interrupts;
    expect(interrupt?.metadata).to.include({ tool: "k8s.remove", arguments_complete: true });

    const resume = [
      { interruptId: interrupt?.id ?? "", status: "resolved" as const, payload: { approved: true } },
    ];
    const { events, messages } = await client.run({ resume });
    expect(events.at(-1)).to.deep.include({ type: "RUN_FINISHED", outcome: { type: "success" } });
    expect(types(events)).to.include.members([
      "SUBAGENT_STARTED",
      "REASONING_MESSAGE_CONTENT",
      "TOOL_CALL_RESULT",
    ]);
    expect(
      events.some((event) => event.type === "SUBAGENT_STARTED" && "parentSubagentRunId" in event),
    ).to.equal(true);
    expect(messages.map((message) => ("content" in message ? message.content : ""))).to.include("removed");
    // Nothing is there twice, though the run began anew.
    expect(new Set(messages.map(({ id }) => id)).size).to.equal(messages.length);
    const replayed = await client.run({ resume });
    expect(replayed.events.filter(({ type }) => type !== "MESSAGES_SNAPSHOT")).to.have.length.above(10);
    expect(replayed.messages).to.deep.equal(messages);

    client.say("Why?");
    const answer = await client.run();
    expect(answer.messages.at(-1)).to.include({ role: "assistant", content: "because of the logs" });
    expect(answer.messages).to.have.length(messages.length + 2);
  });

  it("goes on in another process after the api was killed, and tells the same", async () => {
    const client = agent();
    client.say("HANG here");
    const seen: string[] = [];
    const broken = client
      .run({ forwardedProps: { alert_type: "plain" }, onEvent: (event) => seen.push(event.type) })
      .then(
        () => "complete",
        () => "broken",
      );
    await until("text is live", () => seen.includes("TEXT_MESSAGE_CONTENT"));
    await pipeline.system.stop("api", "SIGKILL");
    await broken;
    await pipeline.system.startService("api");
    const again: string[] = [];
    let id = "";
    const running = client.run({
      onEvent: (event) => {
        again.push(event.type);
        const { metadata } = event;
        if (event.type === "RUN_STARTED") id = String(metadata?.["session_id"]);
      },
    });
    await until("the run begins anew", () => again.includes("TEXT_MESSAGE_START"));
    const [count] = await pipeline.servers.query(
      "SELECT count(*)::int AS n FROM alert_sessions WHERE alert_data = 'HANG here'",
      [],
    );
    expect(count).to.deep.equal({ n: 1 });
    await pipeline.client.request("POST", `/api/v1/sessions/${id}/cancel`);
    const { events } = await running;
    expect(events.at(-1)).to.deep.include({ type: "RUN_FINISHED", outcome: { type: "cancelled" } });
  });

  it("ends a failed investigation with its reason", async () => {
    const client = agent();
    client.say("REFUSE");
    const { events } = await client.run({ forwardedProps: { alert_type: "plain" } });
    expect(events.at(-1)).to.include({ type: "RUN_ERROR", code: "failed" });
  });
});
