import { expect } from "chai";
import { Type } from "typebox";
import { ApiClient } from "#shared/client/api-client.ts";
import { followSession } from "#shared/client/follow-session.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { eventsOfRest } from "../../services/web/session/events-of-rest.ts";
import { foldUpTo, SessionFold } from "../../services/web/session/fold-events.ts";
import { isSessionMessage, type NumberedEvent } from "../../services/web/session/session-message.ts";
import { lanesOf, type SessionView } from "../../services/web/session/session-view.ts";
import { PipelineFixture } from "../support/pipeline-fixture.ts";
import { SUMMARY_CALL } from "../support/scripts.ts";
import { until } from "../support/until.ts";
import { testSeed } from "../support/nightly.ts";
import { seededRandom } from "../support/seeded-random.ts";
import type { TarsyClient } from "../support/tarsy-client.ts";
import { viewInWordsOfRest } from "./support/view-in-words-of-rest.ts";

const SEED = testSeed();

const TARSY = {
  queue: { worker_count: 5, max_concurrent_sessions: 5, max_parallel_agents: 4 },
  defaults: { llm_provider: "scripted", alert_type: "incident" },
  mcp_servers: { k8s: { transport: { type: "stdio", command: "true" } } },
  agents: {
    Pods: { mcp_servers: ["k8s"], iteration_strategy: "react" },
    Metrics: { mcp_servers: ["k8s"], iteration_strategy: "native-thinking" },
    Reader: { mcp_servers: [] },
  },
  agent_chains: {
    incident: {
      alert_types: ["incident"],
      stages: [
        { name: "look", agents: [{ name: "Pods" }, { name: "Metrics" }, { name: "Reader" }] },
        { name: "think", replicas: 3, success_policy: "any", agents: [{ name: "Reader" }] },
        { name: "decide", agents: [{ name: "Reader" }] },
      ],
    },
  },
};
const STUB_TOOLS = {
  servers: {
    k8s: {
      pods: { description: "Lists pods", read_only: true, results: [{ text: "3 pods" }] },
      logs: { description: "Shows logs", read_only: true, results: [{ error: "no such pod" }] },
    },
  },
};
const SCRIPT = {
  calls: [
    SUMMARY_CALL,
    { when: { contains: "HANG", call: 2 }, steps: [{ text: "this goes on" }, { hang: true }] },
    {
      when: { contains: "REFUSE" },
      steps: [
        { text: "I would say" },
        { error: { code: "content_blocked", message: "not this", retryable: false } },
      ],
    },
    {
      when: { call: 1, tools: true },
      steps: [
        { thinking: "which pods are there?", chunk_size: 3 },
        { tool_call: { name: "k8s.pods", arguments: { namespace: "shop" } } },
        { tool_call: { name: "k8s.logs", arguments: { pod: "a" } } },
      ],
    },
    {
      when: { call: 1, contains: "**k8s.pods**" },
      steps: [{ text: "Thought: look\nAction: k8s.pods\nAction Input: {}" }],
    },
    { when: { last_contains: "Observation" }, steps: [{ text: "Final Answer: memory" }] },
    {
      steps: [
        { thinking: "hm" },
        { text: "the memory is full 💾, délétez", chunk_size: 4, chunk_delay: "20ms" },
      ],
    },
  ],
};

const parseEvents = compileParser(
  "page of events",
  Type.Object({ events: Type.Array(Type.Unknown()) }, { additionalProperties: true }),
);
const parseMetadata = compileParser(
  "metadata of an entry",
  Type.Object(
    { tool_type: Type.Optional(Type.Unknown()), duration_ms: Type.Optional(Type.Unknown()) },
    { additionalProperties: true },
  ),
);

describe("the page's view of a session", () => {
  let pipeline: PipelineFixture;
  let client: TarsyClient;
  let api: ApiClient;

  before(async () => {
    pipeline = await PipelineFixture.start({
      config: { tarsy: TARSY, script: SCRIPT, stubTools: STUB_TOOLS },
    });
    ({ client } = pipeline);
    api = new ApiClient({ url: pipeline.system.api });
  });
  after(() => pipeline[Symbol.asyncDispose]());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  const eventsOf = async (id: string): Promise<NumberedEvent[]> => {
    const { events } = parseEvents(
      (await client.request("GET", `/api/v1/sessions/${id}/events?limit=1000`)).body,
    );
    return events.map((event) => {
      if (isSessionMessage(event) && "seq" in event) return event;
      throw new Error(`the page does not show ${JSON.stringify(event)}`);
    });
  };

  /** What REST says of a session, in the words of the view; the times and the model's numbers are left out. */
  const restView = async (id: string) => {
    const [session, timeline] = await Promise.all([
      api.call("GET /api/v1/sessions/:id", { params: { id } }),
      api.call("GET /api/v1/sessions/:id/timeline", { params: { id } }),
    ]);
    const entries = timeline
      .filter(({ event_type }) => event_type !== "executive_summary")
      .map(({ event_id, execution_id, event_type, status, content = "", metadata }) => {
        const { tool_type: _type, duration_ms: _ms, ...rest } = parseMetadata(metadata ?? {});
        // The event that opens a streaming entry has no metadata.
        const call = event_type === "llm_tool_call" ? rest : undefined;
        return { event_id, execution_id, event_type, status, content, call };
      });
    return {
      status: session.status,
      error: session.error_message ?? undefined,
      summary: session.executive_summary ?? undefined,
      stages: session.stages
        .filter(({ stage_type }) => stage_type !== "exec_summary")
        .map(({ stage_id, stage_name, status, executions }) => ({
          stage_id,
          stage_name,
          status,
          lanes: executions
            .filter(({ started_at }) => started_at !== null)
            .map((execution) => ({
              execution_id: execution.execution_id,
              agent: execution.agent_name,
              status: execution.status,
              error: execution.error_message ?? undefined,
              entries: entries.filter(({ execution_id }) => execution_id === execution.execution_id),
            })),
        })),
    };
  };

  for (const { name, alert, end } of [
    { name: "completed", alert: "incident", end: "completed" },
    { name: "failed", alert: "incident REFUSE", end: "failed" },
    { name: "was cancelled", alert: "incident HANG", end: "cancelled" },
  ]) {
    it(`is that of REST at the end of a session that ${name}, and is consistent as of each event`, async () => {
      const id = await client.submit(alert);
      if (end === "cancelled") {
        using watch = await client.watch(id, { after_seq: 0 });
        await watch.next("stream.chunk");
        await client.request("POST", `/api/v1/sessions/${id}/cancel`);
        await watch.next("session.completed");
      }
      expect((await client.waitFor(id, ["completed", "failed", "cancelled"])).status).to.equal(end);
      const events = await eventsOf(id);
      const wanted = await restView(id);
      expect(viewInWordsOfRest(foldUpTo(events, Infinity).view)).to.deep.equal(wanted);
      const purged = eventsOfRest(await api.call("GET /api/v1/sessions/:id", { params: { id } }));
      expect(viewInWordsOfRest(foldUpTo(purged, Infinity).view), "without its events").to.deep.equal(wanted);
      const growing = new SessionFold();
      for (const event of events) {
        growing.apply(event);
        const { view } = foldUpTo(events, event.seq);
        expect(view, `as of event ${event.seq}`).to.deep.equal(growing.view);
        expect(contradictions(view), `as of event ${event.seq}`).to.deep.equal([]);
      }
    });
  }

  it("is that of REST with what was asked after the end, which changes nothing else", async () => {
    const id = await client.submit("incident with a question");
    await client.waitFor(id, ["completed"]);
    const before = foldUpTo(await eventsOf(id), Infinity).view;
    await api.call("POST /api/v1/sessions/:id/chat/messages", { params: { id }, body: { content: "Why?" } });
    await until("it is answered", async () => {
      const { stages } = await api.call("GET /api/v1/sessions/:id", { params: { id } });
      return stages.some(({ stage_type, status }) => stage_type === "chat" && isTerminal(status));
    });
    const { view } = foldUpTo(await eventsOf(id), Infinity);
    const { stages, status, error, startedAt, endedAt, summary } = before;
    expect(view).to.deep.include({ stages, status, error, startedAt, endedAt, summary });
    const wanted = await restView(id);
    expect(viewInWordsOfRest(view)).to.deep.equal(wanted);
    const purged = eventsOfRest(await api.call("GET /api/v1/sessions/:id", { params: { id } }));
    expect(viewInWordsOfRest(foldUpTo(purged, Infinity).view), "without its events").to.deep.equal(wanted);
  });

  it("is the same after a hundred cut sockets as without one, text included", async () => {
    const random = seededRandom(SEED);
    const id = await client.submit("incident with cuts");
    let cuts = 0;
    const fold = new SessionFold();
    const open = (url: string) => {
      const socket = new WebSocket(url);
      let left = 2 + Math.floor(random() * 4);
      socket.addEventListener("message", () => {
        left -= 1;
        if (left > 0 || cuts >= 100) return;
        cuts += 1;
        socket.close();
      });
      return socket;
    };
    const streamed = new Map<string, string>();
    await followSession({
      url: pipeline.system.ws,
      sessionId: id,
      open,
      onMessage: (message) => {
        if (!isSessionMessage(message)) return;
        fold.apply(message);
        if (message.type === "stream.chunk") {
          streamed.set(message.event_id, fold.text(message.event_id)?.text ?? "");
        }
      },
    });
    const events = await eventsOf(id);
    const whole = foldUpTo(events, fold.view.seq);
    expect(fold.view).to.deep.equal(whole.view);
    expect(viewInWordsOfRest(fold.view)).to.deep.equal(await restView(id));
    expect(cuts).to.be.greaterThan(20);
    const contents = new Map(
      lanesOf(fold.view).flatMap((lane) => lane.entries.map((entry) => [entry.id, entry.content])),
    );
    for (const [event, text] of streamed) expect(contents.get(event)).to.include(text.trim());
  });
});

/** What cannot be true at once in any view. */
function contradictions(view: SessionView): string[] {
  const wrong: string[] = [];
  const isOver = isTerminal(view.status);
  for (const lane of lanesOf(view)) {
    if (isOver && !isTerminal(lane.status)) wrong.push(`${lane.agent} runs in a session that is over`);
    if (isTerminal(lane.status) !== (lane.endedAt !== undefined)) wrong.push(`${lane.agent}: end`);
    const sequences = lane.entries.map(({ sequence }) => sequence);
    if (sequences.join(" ") !== sequences.toSorted((a, b) => a - b).join(" ")) {
      wrong.push(`${lane.agent} is out of order`);
    }
    for (const { id, type, status, endedAt } of lane.entries) {
      if ((status === "streaming") !== (endedAt === undefined)) wrong.push(`${id} is ${status} at its end`);
      if (isTerminal(lane.status) && status === "streaming") wrong.push(`${id} is open in a lane that ended`);
      if (type === "tool_result") wrong.push(`${id} is a result without its call`);
    }
  }
  return wrong;
}
