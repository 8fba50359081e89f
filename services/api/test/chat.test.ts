import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { FOLLOWUPS_QUEUE } from "#shared/contracts/wake-up-queue.ts";
import { until } from "../../../test/support/until.ts";
import { CHAT_BOUNDS } from "../chat/post-question.ts";
import { ApiFixture } from "./api-fixture.ts";
import { TARSY } from "./webhook-bodies.ts";

const parseObject = compileParser("JSON object", Type.Record(Type.String(), Type.Unknown()));
const CHAINS = {
  ...TARSY,
  agent_chains: {
    ...TARSY.agent_chains,
    plain: { ...TARSY.agent_chains.plain, teams: ["platform"] },
    silent: { ...TARSY.agent_chains.plain, alert_types: ["silent"], chat: { enabled: false } },
  },
  system: {},
};

describe("questions about a session that has ended", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start({ config: { tarsy: CHAINS } });
    await until(
      "the api is connected to the bus",
      async () => (await api.deps.dispatcher.queued()).size >= 0,
    );
  });
  after(() => api[Symbol.asyncDispose]());

  const post = async (path: string, body: unknown, headers: Record<string, string> = {}, on = api) => {
    const answer = await on.raw("POST", `/api/v1/${path}`, {
      headers: { "content-type": "application/json", ...headers },
      body: Buffer.from(JSON.stringify(body)),
    });
    return { status: answer.status, body: parseObject(JSON.parse(answer.text)) };
  };
  const ask = async (id: string, content: unknown = "Why?", headers: Record<string, string> = {}, on = api) =>
    post(`sessions/${id}/chat/messages`, { content }, headers, on);
  const session = async (
    status = "completed",
    alert: object = { data: "x" },
    headers: Record<string, string> = {},
    on = api,
  ) => {
    const id = String((await post("alerts", alert, headers, on)).body["session_id"]);
    const ends = status === "in_progress" ? "" : ", completed_at = now()";
    await on.servers.query(
      `UPDATE alert_sessions SET status = $2::session_status, started_at = now()${ends} WHERE session_id = $1`,
      [id, status],
    );
    return id;
  };
  const rows = async (sql: string, id: string) => api.servers.query(sql, [id]);
  const end = async (id: string) =>
    rows(
      `WITH ended AS (UPDATE follow_ups SET status = 'completed' WHERE session_id = $1)
       UPDATE stages SET status = 'completed' WHERE session_id = $1`,
      id,
    );

  it("are stored masked, as a stage after those of the chain, with events, and wake an executor", async () => {
    const id = await session();
    const { status, body } = await ask(id, "Is password=Hunter2Secret99 the cause?");
    expect(status).to.equal(202);
    expect(
      await rows(
        "SELECT message_id, author FROM chat_user_messages JOIN chats USING (chat_id) WHERE session_id = $1",
        id,
      ),
    ).to.deep.equal([{ message_id: body["message_id"], author: "api-client" }]);
    const dump = JSON.stringify([
      await rows("SELECT content FROM timeline_events WHERE session_id = $1", id),
      await rows(
        "SELECT content FROM chat_user_messages JOIN chats USING (chat_id) WHERE session_id = $1",
        id,
      ),
      await rows("SELECT payload FROM events WHERE session_id = $1", id),
    ]);
    expect(dump).to.include("the cause?").and.not.include("Hunter2Secret99");
    expect(
      await rows("SELECT stage_name, stage_type, stage_index, chat_id FROM stages WHERE session_id = $1", id),
      "the chain has one stage, which has no row",
    ).to.deep.equal([{ stage_name: "Chat", stage_type: "chat", stage_index: 2, chat_id: body["chat_id"] }]);
    expect(
      await rows("SELECT seq, payload ->> 'type' AS type FROM events WHERE session_id = $1 ORDER BY seq", id),
    ).to.deep.equal([
      { seq: 1, type: "chat.created" },
      { seq: 2, type: "stage.started" },
      { seq: 3, type: "timeline_event.created" },
    ]);
    const shown = await api.client.session(id);
    expect(shown).to.deep.include({ chat_enabled: true, chat_id: body["chat_id"], chat_message_count: 1 });
    expect(
      await rows(
        "SELECT action, result FROM audit_log WHERE session_id = $1 AND action = 'session.chat'",
        id,
      ),
    ).to.deep.equal([{ action: "session.chat", result: "allowed" }]);
    await until("the wake-up is queued", async () =>
      (await api.deps.dispatcher.queued(FOLLOWUPS_QUEUE)).has(id),
    );
  });

  it("have one chat, and the stages of the later ones follow", async () => {
    const id = await session();
    const first = await ask(id);
    await end(id);
    const second = await ask(id, "And now?");
    expect(second.status).to.equal(202);
    expect(second.body["chat_id"]).to.equal(first.body["chat_id"]);
    expect(await rows("SELECT stage_index FROM stages WHERE session_id = $1 ORDER BY 1", id)).to.deep.equal([
      { stage_index: 2 },
      { stage_index: 3 },
    ]);
    expect(
      await rows(
        "SELECT count(*)::int AS n FROM events WHERE session_id = $1 AND payload ->> 'type' = 'chat.created'",
        id,
      ),
    ).to.deep.equal([{ n: 1 }]);
  });

  it("are refused with the first reason that holds", async () => {
    const silent = await session("completed", { data: "x", alert_type: "silent" });
    const gone = await session();
    await rows("UPDATE alert_sessions SET chain_id = 'gone' WHERE session_id = $1", gone);
    const completed = await session();
    const cases: [string, unknown, number, string][] = [
      [randomUUID(), "", 404, "resource not found"],
      [gone, "", 400, "chain configuration not found"],
      [await session("in_progress"), "", 400, "chat is not available while session is still processing"],
      [await session("cancelled"), "", 400, "chat is not available for cancelled sessions"],
      [silent, "", 400, "chat is not enabled for this chain"],
      [completed, "  ", 400, "content is required"],
      [completed, null, 400, "content is required"],
      [completed, "x".repeat(100_001), 400, "content exceeds maximum length of 100,000 characters"],
    ];
    for (const [id, content, status, error] of cases) {
      expect(await ask(id, content), error).to.deep.equal({ status, body: { message: error } });
    }
    expect(await api.client.session(silent)).to.deep.include({ chat_enabled: false, chat_id: null });
    const wide = "💾".repeat(100_000);
    expect((await ask(completed, wide)).status, "characters, not bytes").to.equal(202);
  });

  it("are bounded for each session", async () => {
    const id = await session();
    expect((await ask(id)).status).to.equal(202);
    await end(id);
    const fill = async (count: number, age: string) =>
      api.servers.query(
        `INSERT INTO chat_user_messages (message_id, chat_id, content, author, created_at)
         SELECT gen_random_uuid(), chat_id, 'x', 'x', now() - $3::interval FROM chats, generate_series(1, $2::int) WHERE session_id = $1`,
        [id, count, age],
      );
    await fill(CHAT_BOUNDS.perMinute - 1, "1 s");
    expect((await ask(id)).body["message"]).to.include("questions a minute");
    await fill(CHAT_BOUNDS.messages, "1 h");
    expect((await ask(id)).body["message"]).to.include("questions in all");
  });

  it("are cancelled with the session's route, and the session stays as it is", async () => {
    const id = await session();
    await ask(id);
    expect((await post(`sessions/${id}/cancel`, {})).status).to.equal(200);
    expect(
      await rows(
        "SELECT cancel_requested_at IS NOT NULL AS cancelled FROM follow_ups WHERE session_id = $1",
        id,
      ),
    ).to.deep.equal([{ cancelled: true }]);
    expect(await api.client.session(id)).to.deep.include({ status: "completed" });
  });

  it("are taken and cancelled by any replica: of twenty at two apis at once one is taken", async () => {
    await using second = await ApiFixture.start({ servers: api.servers, config: { tarsy: CHAINS } });
    const id = await session();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => ask(id, "Why?", {}, n % 2 === 0 ? api : second)),
    );
    expect(answers.map(({ status }) => status)).to.have.members([
      202,
      ...Array.from({ length: 19 }, () => 409),
    ]);
    expect(
      await rows(
        "SELECT (SELECT count(*)::int FROM stages WHERE session_id = $1) AS stages, count(*)::int AS messages FROM chat_user_messages JOIN chats USING (chat_id) WHERE session_id = $1",
        id,
      ),
    ).to.deep.equal([{ stages: 1, messages: 1 }]);
    for (const replica of [second, api]) {
      expect((await post(`sessions/${id}/cancel`, {}, {}, replica)).status).to.equal(200);
    }
    expect(
      await rows(
        "SELECT cancel_requested_at IS NOT NULL AS cancelled FROM follow_ups WHERE session_id = $1",
        id,
      ),
    ).to.deep.equal([{ cancelled: true }]);
  });

  it("of a chain that is not configured any more are refused, and everything else of the session is shown", async () => {
    const id = await session();
    expect((await ask(id)).status).to.equal(202);
    await end(id);
    await rows("UPDATE alert_sessions SET chain_id = 'gone' WHERE session_id = $1", id);
    expect(await ask(id)).to.deep.equal({ status: 400, body: { message: "chain configuration not found" } });
    expect(await api.client.session(id)).to.deep.include({ chat_enabled: false, chat_message_count: 1 });
    for (const path of ["timeline", "trace", "events"]) {
      expect((await api.raw("GET", `/api/v1/sessions/${id}/${path}`)).status, path).to.equal(200);
    }
  });

  it("may be asked by those who may see the session and submit", async () => {
    await using keyed = await ApiFixture.start({
      env: { AUTH_MODE: "token", BIND_ADDRESS: "0.0.0.0" },
      config: { tarsy: CHAINS },
    });
    const ann = await keyed.keyOf("ann", ["submitter"]);
    const id = await session("completed", { data: "x" }, ann, keyed);
    const status = async (headers: Record<string, string>) => (await ask(id, "Why?", headers, keyed)).status;
    expect(await status(await keyed.keyOf("vic", ["viewer"], ["platform"])), "a viewer of the team").to.equal(
      403,
    );
    expect(await status(await keyed.keyOf("eve", ["submitter"])), "another submitter").to.equal(404);
    expect(await status(await keyed.keyOf("mate", ["submitter"], ["platform"])), "of the team").to.equal(202);
  });
});
