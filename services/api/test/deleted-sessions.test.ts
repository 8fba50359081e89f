import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { SseClient } from "../../../test/support/sse-client.ts";
import { ADMIN_ACCESS, ApiFixture } from "./api-fixture.ts";
import { SessionEvents, statusEvent } from "./session-events.ts";

const parseAccepted = compileParser(
  "accepted alert",
  Type.Object({ session_id: Type.String() }, { additionalProperties: true }),
);

describe("a deleted session", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;
  let log: SessionEvents;

  before(async () => {
    api = resources.use(await ApiFixture.start({ env: ADMIN_ACCESS, sse: { pollEveryMs: 100 } }));
    log = resources.use(await SessionEvents.of(api));
  });
  after(() => resources.disposeAsync());

  const hide = async (id: string) =>
    api.servers.query("UPDATE alert_sessions SET deleted_at = now() WHERE session_id = $1", [id]);

  it("is answered as an unknown one on every route", async () => {
    const deleted = await api.client.submit("a secret of the alert");
    await log.commit(deleted, [statusEvent(deleted)]);
    await hide(deleted);
    for (const id of [deleted, randomUUID()]) {
      for (const [method, path] of [
        ["GET", ""],
        ["GET", "/timeline"],
        ["GET", "/events"],
        ["GET", "/events?after_seq=1"],
        ["GET", "/trace"],
        ["GET", `/trace/llm/${randomUUID()}`],
        ["POST", "/cancel"],
      ] as const) {
        const { status, text } = await api.raw(method, `/api/v1/sessions/${id}${path}`);
        expect([status, text], path).to.deep.equal([404, '{"message":"resource not found"}']);
      }
      await using stream = await SseClient.open(
        `http://127.0.0.1:${api.port}/api/v1/sessions/${id}/events`,
        api.headers,
      );
      expect(stream.status).to.equal(404);
    }
  });

  it("is hidden at once, with its idempotency key, as often as it is deleted", async () => {
    const submit = async () => {
      const { text } = await api.raw("POST", "/api/v1/alerts", {
        body: Buffer.from('{"data":"x"}'),
        headers: { "content-type": "application/json", "idempotency-key": "of-a-deleted-session" },
      });
      return parseAccepted(JSON.parse(text)).session_id;
    };
    const id = await submit();
    const remove = async () => api.raw("DELETE", `/api/v1/sessions/${id}`);
    expect(await remove()).to.deep.include({
      status: 409,
      text: '{"message":"session has not ended: cancel it first, and delete it when it has ended"}',
    });
    await log.complete(id);
    for (const _repetition of [1, 2]) expect(await remove()).to.deep.include({ status: 204, text: "" });
    expect(await api.raw("GET", `/api/v1/sessions/${id}`)).to.include({ status: 404 });
    expect(await submit()).to.not.equal(id);
    expect(await api.raw("DELETE", `/api/v1/sessions/${randomUUID()}`)).to.include({ status: 404 });
    expect(await api.raw("DELETE", "/api/v1/sessions/x")).to.include({ status: 400 });
  });

  it("ends the open streams of its events", async () => {
    const id = await api.client.submit("x");
    await log.emit(id, [statusEvent(id)]);
    await using stream = await SseClient.open(
      `http://127.0.0.1:${api.port}/api/v1/sessions/${id}/events`,
      api.headers,
    );
    await stream.ids(1);
    await hide(id);
    expect(await stream.ended).to.equal("end");
  });
});
