import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { SseClient } from "../../../test/support/sse-client.ts";
import { ApiFixture } from "./api-fixture.ts";
import { SessionEvents, statusEvent } from "./session-events.ts";

describe("a deleted session", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;
  let log: SessionEvents;

  before(async () => {
    api = resources.use(await ApiFixture.start({ sse: { pollEveryMs: 100 } }));
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
      await using stream = await SseClient.open(`http://127.0.0.1:${api.port}/api/v1/sessions/${id}/events`);
      expect(stream.status).to.equal(404);
    }
  });

  it("ends the open streams of its events", async () => {
    const id = await api.client.submit("x");
    await log.emit(id, [statusEvent(id)]);
    await using stream = await SseClient.open(`http://127.0.0.1:${api.port}/api/v1/sessions/${id}/events`);
    await stream.ids(1);
    await hide(id);
    expect(await stream.ended).to.equal("end");
  });
});
