import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { openBus } from "#shared/bus/open-bus.ts";
import { publishChunk } from "#shared/bus/publish-message.ts";
import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import { pino } from "pino";
import { AguiAgent } from "../../../test/support/agui-agent.ts";
import { until } from "../../../test/support/until.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";
import { SessionEvents } from "./session-events.ts";
import { TARSY } from "./webhook-bodies.ts";

const CHAINS = {
  ...TARSY,
  agent_chains: { ...TARSY.agent_chains, plain: { ...TARSY.agent_chains.plain, teams: ["platform"] } },
  system: {},
};
const stage = randomUUID();
const agent = randomUUID();
const text = randomUUID();

const begun = (session_id: string): UnstampedPayload[] => [
  { type: "session.status", session_id, status: "in_progress" },
  {
    type: "stage.started",
    session_id,
    stage_id: stage,
    stage_name: "look",
    stage_index: 1,
    status: "active",
  },
  {
    type: "execution.status",
    session_id,
    stage_id: stage,
    execution_id: agent,
    agent_name: "Scout",
    agent_index: 1,
    status: "active",
  },
  {
    type: "timeline_event.created",
    session_id,
    stage_id: stage,
    execution_id: agent,
    event_id: text,
    event_type: "llm_response",
    status: "streaming",
    content: "",
    sequence_number: 1,
  },
];
const answered = (session_id: string): UnstampedPayload[] => [
  {
    type: "timeline_event.completed",
    session_id,
    event_id: text,
    event_type: "llm_response",
    status: "completed",
    content: "The disk.",
  },
];

describe("POST /api/v1/agui", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;
  let log: SessionEvents;

  before(async () => {
    api = resources.use(await ApiFixture.start({ config: { tarsy: CHAINS }, env: KEY_ACCESS }));
    log = resources.use(await SessionEvents.of(api));
  });
  after(() => resources.disposeAsync());

  const client = async (
    subject: string,
    role: "viewer" | "submitter" | "operator" = "submitter",
    options: { threadId?: string; teams?: string[] } = {},
  ) =>
    new AguiAgent({
      url: `http://127.0.0.1:${api.port}/api/v1/agui`,
      headers: await api.keyOf(subject, [role], options.teams),
      ...(options.threadId === undefined ? {} : { threadId: options.threadId }),
    });
  const sessions = async () =>
    api.servers.query("SELECT session_id FROM alert_sessions ORDER BY created_at", []);
  const newest = async () => String(Object.values((await sessions()).at(-1) ?? {})[0]);
  const started = async (count: number) =>
    until("the session is stored", async () => (await sessions()).length === count);
  const refusal = async (run: Promise<unknown>): Promise<string> =>
    run.then(
      () => "not refused",
      (error: unknown) => String(error),
    );

  it("submits an alert once for a thread, tells it live, and the same again after a connection that broke", async () => {
    const before = (await sessions()).length;
    const ana = await client("ana");
    ana.say("Disk full on db-7");
    const abort = new AbortController();
    const seen: string[] = [];
    const broken = ana.run({ signal: abort, onEvent: ({ type }) => seen.push(type) }).catch(() => undefined);
    await started(before + 1);
    const id = await newest();
    await log.emit(id, begun(id));
    await until("the text begins", () => seen.includes("TEXT_MESSAGE_START"));
    const bus = await openBus({
      url: api.servers.nats.url,
      name: "test",
      log: pino({ level: "silent" }),
      signal: new AbortController().signal,
    });
    await using _closed = bus;
    const chunk = { type: "stream.chunk", session_id: id, event_id: text, attempt: 1, offset: 0 } as const;
    publishChunk(bus, { ...chunk, delta: "The", timestamp: new Date().toISOString() });
    await until("the text is live", () => seen.includes("TEXT_MESSAGE_CONTENT"));
    abort.abort();
    await broken;
    await log.emit(id, answered(id));
    await log.complete(id);

    const again = await ana.run();
    expect(await sessions()).to.have.length(before + 1);
    expect(again.events.map(({ type }) => type)).to.include.members(["MESSAGES_SNAPSHOT", "RUN_FINISHED"]);
    expect(again.events.at(0)).to.deep.include({ metadata: { session_id: id } });
    expect(again.messages.map((message) => ("content" in message ? message.content : ""))).to.deep.equal([
      "Disk full on db-7",
      "The disk.",
    ]);
    const other = await client("ben", "submitter", { threadId: ana.threadId });
    other.say("Disk full on db-7");
    const abortOther = new AbortController();
    const running = other.run({ signal: abortOther }).catch(() => undefined);
    await started(before + 2);
    abortOther.abort();
    await running;
  });

  it("asks a question once, and tells only its answer", async () => {
    const ana = await client("ana");
    ana.say("Disk full on db-8");
    const before = (await sessions()).length;
    const first = ana.run();
    await started(before + 1);
    const id = await newest();
    await log.complete(id);
    await first;
    ana.say("Which disk?");
    const abort = new AbortController();
    const seen: string[] = [];
    const broken = ana.run({ signal: abort, onEvent: ({ type }) => seen.push(type) }).catch(() => undefined);
    await until("the question's stage begins", () => seen.includes("STEP_STARTED"));
    abort.abort();
    await broken;
    const [row] = await api.servers.query("SELECT stage_id FROM stages WHERE session_id = $1", [id]);
    const stageId = String(Object.values(row ?? {})[0]);
    await log.emit(id, [
      {
        type: "stage.completed",
        session_id: id,
        stage_id: stageId,
        stage_name: "Chat",
        stage_index: 2,
        status: "completed",
        stage_type: "chat",
      },
    ]);
    const { events } = await ana.run();
    expect(events.map(({ type }) => type)).to.deep.equal([
      "RUN_STARTED",
      "STEP_STARTED",
      "STEP_FINISHED",
      "RUN_FINISHED",
    ]);
    expect(
      await api.servers.query(
        "SELECT content FROM chat_user_messages JOIN chats USING (chat_id) WHERE session_id = $1",
        [id],
      ),
    ).to.deep.equal([{ content: "Which disk?" }]);
    const byId = await client("ana", "submitter", { threadId: id });
    expect((await byId.run()).events.at(-1)).to.deep.include({ type: "RUN_FINISHED" });
  });

  it("refuses what the caller may not do, and hides the sessions of others", async () => {
    const before = (await sessions()).length;
    const viewer = await client("vera", "viewer");
    viewer.say("Disk full");
    expect(await refusal(viewer.run())).to.contain("alert.submit needs role submitter");
    const nothing = await client("ana");
    expect(await refusal(nothing.run())).to.contain("the thread has no session");
    expect(await sessions()).to.have.length(before);
    const ana = await client("ana");
    ana.say("Disk full on db-9");
    const abort = new AbortController();
    const running = ana.run({ signal: abort }).catch(() => undefined);
    await started(before + 1);
    const id = await newest();
    const other = await client("olga", "submitter", { threadId: id, teams: ["other"] });
    expect(await refusal(other.run())).to.contain("the thread has no session");
    abort.abort();
    await running;
    ana.say("And now?");
    expect(await refusal(ana.run())).to.contain("the investigation still runs");
    const resume = [{ interruptId: randomUUID(), status: "resolved" as const, payload: { approved: true } }];
    expect(await refusal(ana.run({ resume }))).to.contain("approval.decide needs role operator");
    const audited = async () =>
      api.servers.query(
        "SELECT action, result FROM audit_log WHERE session_id = $1 AND action = 'approval.decide'",
        [id],
      );
    // It is written a little later.
    await until("the refusal is in the audit log", async () => (await audited()).length > 0);
    expect(await audited()).to.deep.equal([{ action: "approval.decide", result: "refused" }]);
  });

  it("names what is wrong with an input, and takes no bytes of a body while its answer lasts", async () => {
    const headers = { ...(await api.keyOf("ana", ["submitter"])), "content-type": "application/json" };
    const send = async (body: object) => {
      const answer = await api.raw("POST", "/api/v1/agui", {
        headers,
        body: Buffer.from(JSON.stringify(body)),
      });
      return answer.status === 400 ? answer.text : answer.status;
    };
    const run = { threadId: "t", runId: "r", messages: [] };
    expect(await send({ ...run, threadId: "" })).to.contain("threadId");
    expect(await send({ ...run, messages: [{ role: "user", content: "" }] })).to.contain("messages[0]");
    expect(await send({ ...run, messages: [{ role: "user", content: "x" }] })).to.contain("must have an id");
    const image = [{ type: "image", source: { type: "url", value: "x" } }];
    expect(await send({ ...run, messages: [{ role: "user", content: image }] })).to.contain("text only");
    const resume = [{ interruptId: "i", status: "resolved", payload: "yes" }];
    expect(await send({ ...run, resume })).to.contain("resume[0].payload.approved");
    const forwardedProps = { priority: "soon" };
    const messages = [{ id: "m", role: "user", content: "x" }];
    expect(await send({ ...run, messages, forwardedProps })).to.contain("unknown priority");
  });
});
