import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { ApiFixture } from "./api-fixture.ts";
import { SessionEvents, onTheWire, statusEvent, textEvent, times } from "./session-events.ts";

describe("GET /api/v1/sessions/:id/events", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;
  let log: SessionEvents;

  before(async () => {
    api = resources.use(await ApiFixture.start());
    log = resources.use(await SessionEvents.of(api));
  });
  after(() => resources.disposeAsync());

  const path = (id: string, query = "") => `/api/v1/sessions/${id}/events${query}`;
  const get = async (id: string, query = "") => api.client.request("GET", path(id, query));

  it("shows the stored events in order, as on the WebSocket, page by page", async () => {
    const id = await api.client.submit("x");
    expect(await get(id)).to.deep.equal({
      status: 200,
      body: { session_id: id, events: [], last_seq: 0, has_more: false },
    });
    const events = (
      await log.commit(
        id,
        times(450, (n) => textEvent(id, `${n}\n\n`)),
      )
    ).map(onTheWire);
    const page = (from: number, to: number) => ({
      status: 200,
      body: { session_id: id, events: events.slice(from, to), last_seq: 450, has_more: to < 450 },
    });
    expect(await get(id)).to.deep.equal(page(0, 200));
    expect(await get(id, "?after_seq=200")).to.deep.equal(page(200, 400));
    expect(await get(id, "?after_seq=400")).to.deep.equal(page(400, 450));
    expect(await get(id, "?after_seq=450")).to.deep.equal(page(450, 450));
    expect(await get(id, "?limit=1&after_seq=7")).to.deep.equal(page(7, 8));
    expect(await get(id, "?limit=1000")).to.deep.equal(page(0, 450));
  });

  it("ends a page early when its events are large, and always returns at least one", async () => {
    const id = await api.client.submit("x");
    await log.commit(
      id,
      times(4, (n) => textEvent(id, String(n).repeat(3 * 1_048_576))),
    );
    const seqs = async (query: string) => {
      const { body } = await get(id, query);
      return [JSON.stringify(body["events"]).match(/"seq":\d/gu), body["has_more"]];
    };
    expect(await seqs("")).to.deep.equal([['"seq":1', '"seq":2', '"seq":3'], true]);
    expect(await seqs("?after_seq=3")).to.deep.equal([['"seq":4'], false]);
  });

  it("names the field that is not a number in its range", async () => {
    const id = await api.client.submit("x");
    await log.commit(id, [statusEvent(id)]);
    const range = (field: string, numbers: string) =>
      `validation error on field '${field}': must be one whole number from ${numbers}`;
    const cases: Record<string, string> = {
      "?limit=0": range("limit", "1 to 1000"),
      "?limit=1001": range("limit", "1 to 1000"),
      "?limit=": range("limit", "1 to 1000"),
      "?limit=1e2": range("limit", "1 to 1000"),
      "?after_seq=-1": range("after_seq", "0 to 2147483647"),
      "?after_seq=2147483648": range("after_seq", "0 to 2147483647"),
      "?after_seq=0&after_seq=1": range("after_seq", "0 to 2147483647"),
    };
    for (const [query, message] of Object.entries(cases)) {
      expect(await get(id, query), query).to.deep.equal({ status: 400, body: { message } });
    }
  });

  it("tells a client that has later events than are stored by a code", async () => {
    const id = await api.client.submit("x");
    await log.commit(id, [statusEvent(id)]);
    expect(await get(id, "?after_seq=2")).to.deep.equal({
      status: 400,
      body: {
        message: "validation error on field 'after_seq': 2 is beyond the session's last event, which is 1",
        code: "events_lost",
      },
    });
  });

  it("refuses a Last-Event-ID that no event can have, also where it has no effect", async () => {
    const id = await api.client.submit("x");
    for (const wrong of ["2147483648", "x"]) {
      const headers = { "last-event-id": wrong };
      expect(await api.raw("GET", path(id), { headers }), wrong).to.include({ status: 400 });
    }
    expect(await api.raw("GET", path(id), { headers: { "last-event-id": "7" } })).to.include({ status: 200 });
  });

  it("answers 404 for an unknown id and 400 for an invalid one, also as SSE", async () => {
    for (const accept of ["*/*", "text/event-stream"]) {
      const headers = { accept };
      expect(await api.raw("GET", path(randomUUID()), { headers })).to.include({ status: 404 });
      expect(await api.raw("GET", path("42"), { headers })).to.include({ status: 400 });
    }
  });
});
