import { expect } from "chai";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { TriageResponse } from "../reviews/contract.ts";
import { ApiFixture } from "./api-fixture.ts";

const parsePage = compileParser("triage page", TriageResponse);

describe("GET /api/v1/sessions/triage/:group", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;

  before(async () => {
    api = resources.use(await ApiFixture.start());
  });
  after(() => resources.disposeAsync());

  const get = async (path: string) => api.client.request("GET", `/api/v1/sessions/triage/${path}`);
  const pageOf = async (path: string) => {
    const { status, body } = await get(path);
    expect(status, JSON.stringify(body)).to.equal(200);
    const { sessions, ...rest } = parsePage(body);
    return { ...rest, ids: sessions.map(({ id }) => id) };
  };
  const end = async (id: string, status = "failed") => {
    await api.servers.query(
      "UPDATE alert_sessions SET status = $2::session_status, completed_at = now() WHERE session_id = $1",
      [id, status],
    );
    return id;
  };
  const set = async (id: string, column: string, value: string) =>
    api.servers.query(`UPDATE alert_sessions SET ${column} = $2 WHERE session_id = $1`, [id, value]);

  it("has every session in the group of its state, newest first, with the last page for those behind it", async () => {
    expect(await pageOf("reviewed")).to.deep.equal({
      count: 0,
      page: 1,
      page_size: 20,
      total_pages: 1,
      ids: [],
    });
    const ids = [];
    for (let n = 0; n < 5; n += 1) ids.unshift(await api.client.submit("x"));
    const [one = "", two = "", three = "", four = "", five = ""] = ids;
    expect(await pageOf("investigating")).to.include({ count: 5, total_pages: 1 });
    await end(one, "cancelled");
    for (const id of [two, three, four]) await end(id);
    expect((await pageOf("investigating")).ids).to.deep.equal([five]);
    expect((await pageOf("reviewed")).ids).to.deep.equal([one]);
    expect((await pageOf("needs_review")).ids).to.deep.equal([two, three, four]);
    const last = { count: 3, page: 2, page_size: 2, total_pages: 2, ids: [four] };
    expect(await pageOf("needs_review?page=2&page_size=2")).to.deep.equal(last);
    expect(await pageOf("needs_review?page=9&page_size=2")).to.deep.equal(last);
    await set(two, "review_status", "in_progress");
    await set(two, "assignee", "ann");
    expect((await pageOf("in_progress?assignee=ann")).ids).to.deep.equal([two]);
    expect((await pageOf("in_progress?assignee=an")).ids).to.deep.equal([]);
    expect((await pageOf("in_progress?assignee=")).ids).to.deep.equal([]);
    expect((await pageOf("needs_review?assignee=")).ids).to.deep.equal([three, four]);
  });

  it("names what is wrong", async () => {
    for (const [path, message] of [
      ["odd", "unknown triage group 'odd'"],
      ["reviewed?page=0", "'page'"],
      ["reviewed?page_size=201", "'page_size'"],
      ["reviewed?page_size=x", "'page_size'"],
    ] as const) {
      const { status, body } = await get(path);
      expect([status, JSON.stringify(body).includes(message)], path).to.deep.equal([400, true]);
    }
  });
});
