import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { appendEvents } from "#shared/database/append-events.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";
import { insertInvestigated } from "./investigated-session.ts";

const NUMBER = "validation error on field 'at_seq': must be one whole number from 0 to";

describe("?at_seq", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start();
  });
  after(() => api[Symbol.asyncDispose]());

  const get = async (path: string) => {
    const { status, text } = await api.raw("GET", `/api/v1/sessions/${path}`);
    const body: unknown = JSON.parse(text);
    return { status, body };
  };
  /** A session with `count` events, which has begun with the first. */
  const started = async (count = 3) => {
    const id = await api.client.submit("disk full");
    for (let seq = 1; seq <= count; seq += 1) {
      await api.db.transaction(async (tx) => {
        await tx.query(
          "UPDATE alert_sessions SET status = 'in_progress', pod_id = $2 WHERE session_id = $1",
          [id, `pod-${seq}`],
        );
        await appendEvents(tx, id, [{ type: "session.status", session_id: id, status: "in_progress" }]);
      });
    }
    return id;
  };

  it("shows a running session as it was, and what was submitted before its first event", async () => {
    const id = await started();
    expect((await get(`${id}?at_seq=2`)).body).to.include({
      status: "in_progress",
      pod_id: "pod-2",
      last_seq: 2,
    });
    const { body } = await get(`${id}?at_seq=0`);
    expect(body).to.include({ status: "pending", started_at: null, last_seq: 0, alert_data: "disk full" });
    expect(body).not.to.have.property("pod_id");
    expect((await get(`${id}?at_seq=3`)).body).to.deep.equal((await get(id)).body);
  });

  it("is refused for a number that no event of the session has, with the range that is allowed", async () => {
    const id = await started();
    const call = randomUUID();
    const paths = [
      id,
      `${id}/overview`,
      `${id}/timeline`,
      `${id}/trace`,
      `${id}/trace/llm/${call}`,
      `${id}/trace/mcp/${call}`,
    ];
    for (const path of paths) {
      for (const [value, range] of [
        ["4", `${NUMBER} 3, which is the session's last event: got 4`],
        ["2147483647", `${NUMBER} 3, which is the session's last event: got 2147483647`],
        ["2147483648", `${NUMBER} 2147483647`],
        ["99999999999999999999", `${NUMBER} 2147483647`],
        ["-1", `${NUMBER} 2147483647`],
        ["1.5", `${NUMBER} 2147483647`],
        ["", `${NUMBER} 2147483647`],
        ["1&at_seq=2", `${NUMBER} 2147483647`],
      ] as const) {
        const answer = await get(`${path}?at_seq=${value}`);
        expect(answer, `${path} ${value}`).to.deep.equal({ status: 400, body: { message: range } });
      }
    }
    expect((await get(`${id}/trace/llm/${call}?at_seq=1`)).status).to.equal(404);
  });

  it("is refused for a number from before a fork began, with the name of its parent", async () => {
    const [parent, id] = [await started(), await started()];
    await api.db.query(
      "UPDATE alert_sessions SET forked_from = $2, forked_at_seq = 2 WHERE session_id = $1",
      [id, parent],
    );
    for (const path of [id, `${id}/overview`, `${id}/timeline`, `${id}/trace`]) {
      const { status, body } = await get(`${path}?at_seq=1`);
      expect(status).to.equal(409);
      expect(body).to.have.property("code", "no_past");
      expect(body).to.have.property("message").that.includes(`until then it is session ${parent}`);
      expect((await get(`${path}?at_seq=2`)).status).to.equal(200);
      expect((await get(path)).status).to.equal(200);
    }
  });

  it("shows calls of which the rows have no number as they are", async () => {
    const { session_id: id } = await insertInvestigated(api);
    expect((await get(`${id}/trace?at_seq=0`)).body).to.have.property("session_id", id);
  });

  it("is unknown to those who may not see the session", async () => {
    await using shut = await ApiFixture.start({ servers: api.servers, env: KEY_ACCESS });
    const id = await started();
    const headers = await shut.keyOf("someone", ["viewer"], ["another-team"]);
    await api.db.query(
      "UPDATE alert_sessions SET owner_subject = 'jane', teams = '{a-team}' WHERE session_id = $1",
      [id],
    );
    const asked = async (path: string) =>
      (await shut.raw("GET", `/api/v1/sessions/${path}`, { headers })).status;
    expect(await asked(`${id}?at_seq=1`)).to.equal(await asked(id));
    expect((await shut.raw("GET", `/api/v1/sessions/${id}?at_seq=1`)).status).to.equal(401);
    await api.db.query("UPDATE alert_sessions SET deleted_at = now() WHERE session_id = $1", [id]);
    expect((await get(`${id}?at_seq=1`)).status).to.equal(404);
  });

  describe("until_seq of events", () => {
    const seqs = (body: unknown) =>
      [...JSON.stringify(body).matchAll(/"seq":(\d+)/gu)].map(([, seq]) => Number(seq));

    it("ends a page", async () => {
      const id = await started();
      const { body } = await get(`${id}/events?until_seq=2`);
      expect(seqs(body)).to.deep.equal([1, 2]);
      expect(body).to.include({ last_seq: 3, has_more: false });
      const first = await get(`${id}/events?until_seq=2&limit=1`);
      expect(first.body).to.include({ has_more: true });
      expect(seqs((await get(`${id}/events?until_seq=3&after_seq=2`)).body)).to.deep.equal([3]);
      expect(seqs((await get(`${id}/events?until_seq=0`)).body)).to.deep.equal([]);
    });

    it("ends a stream, also that of a running session", async () => {
      const id = await started();
      const stream = async (query: string) =>
        api.raw("GET", `/api/v1/sessions/${id}/events?${query}`, {
          headers: { accept: "text/event-stream" },
        });
      const { text } = await stream("until_seq=2");
      expect([...text.matchAll(/^id: (\d+)$/gmu)].map(([, seq]) => seq)).to.deep.equal(["1", "2"]);
      expect((await stream("until_seq=2&after_seq=2")).status).to.equal(204);
      expect((await stream("until_seq=4")).status).to.equal(400);
      expect((await stream("until_seq=x")).status).to.equal(400);
    });

    it("is refused if the session has no such event, or before after_seq", async () => {
      const id = await started();
      for (const [query, why] of [
        ["until_seq=4", "must be one whole number from 0 to 3, which is the session's last event: got 4"],
        ["until_seq=1&after_seq=2", "must not be before after_seq, which is 2: got 1"],
        ["until_seq=x", "must be one whole number from 0 to 2147483647"],
      ]) {
        const message = `validation error on field 'until_seq': ${why}`;
        expect(await get(`${id}/events?${query}`)).to.deep.equal({ status: 400, body: { message } });
      }
    });
  });
});
