import { expect } from "chai";
import {
  addressOf,
  filtersOf,
  partsOf,
  queryOf,
  setFilters,
  startOf,
  ENDED,
  RUNNING,
} from "../screens/sessions/list-filters.ts";
import { applyEvent, refreshRows, rowsOf, waitingFirst } from "../screens/sessions/list-rows.ts";
import { missingRows, settle } from "../screens/sessions/read-missing.ts";
import { listItem as item } from "./list-item.ts";

const NOW = Date.parse("2026-11-23T12:00:30.500Z");

describe("the filters of the list", () => {
  it("have a night, from six in the evening of yesterday by the reader's clock, and those that need a person", () => {
    const filters = filtersOf({ time: "night", status: "attention" });
    const start = startOf(filters.time, NOW);
    expect(start?.getHours()).to.equal(18);
    expect(start?.getDate()).to.equal(new Date(NOW - 24 * 3_600_000).getDate());
    expect(partsOf(filters)).to.deep.equal({ running: RUNNING, ended: [] });
    const query = queryOf(filters, RUNNING, NOW);
    expect(query).to.include({ state: "needs_approval,failing", start_date: start?.toISOString() });
    expect(setFilters(filters)).to.deep.equal(["status", "time"]);
  });

  it("come back from the address as they were put into it", () => {
    const filters = filtersOf({
      search: "disk & co",
      status: "failed",
      type: "a/b",
      author: "eva@example.com",
      time: "7d",
      review: "reviewed",
      score: "scored",
      sort: "worst",
      page: "3",
    });
    const address = new URL(addressOf(filters), "http://localhost");
    expect(filtersOf(Object.fromEntries(address.searchParams))).to.deep.equal(filters);
    expect(addressOf(filtersOf({}))).to.equal("/");
  });

  it("ignore what they do not know", () => {
    const known = filtersOf({});
    expect(
      filtersOf({ status: "sleeping", time: "constructor", score: "72", sort: "score", page: "0" }),
    ).to.deep.equal(known);
    expect(filtersOf({ page: "1e9" }).page).to.equal(1);
  });

  it("ask for running and ended sessions apart, and only for what can match", () => {
    expect(partsOf(filtersOf({}))).to.deep.equal({ running: RUNNING, ended: ENDED });
    expect(partsOf(filtersOf({ status: "running" }))).to.deep.equal({ running: RUNNING, ended: [] });
    expect(partsOf(filtersOf({ status: "failed" }))).to.deep.equal({ running: [], ended: ["failed"] });
    expect(partsOf(filtersOf({ review: "needs_review" }))).to.deep.equal({ running: [], ended: ENDED });
    expect(partsOf(filtersOf({ score: "not_scored" }))).to.deep.equal({ running: [], ended: ENDED });
  });

  it("become a query that is the same for a minute, without a search that the API would refuse", () => {
    const query = queryOf(
      filtersOf({ search: " ab ", time: "1h", chain: "c", author: "eva" }),
      ["failed"],
      NOW,
    );
    expect(query).to.deep.equal({
      status: "failed",
      page: 1,
      page_size: 50,
      chain_id: "c",
      author: "eva",
      start_date: "2026-11-23T11:00:00.000Z",
    });
    expect(queryOf(filtersOf({ score: "scored", sort: "best" }), ["failed"], NOW)).to.deep.equal({
      status: "failed",
      page: 1,
      page_size: 50,
      scoring_status: "scored",
      sort_by: "score",
      sort_order: "desc",
    });
  });
});

describe("waitingFirst(rows)", () => {
  it("puts those first that wait for a person, and keeps the order otherwise", () => {
    const rows = rowsOf([
      item("a"),
      item("b", { open_approvals: 1 }),
      item("ended", { open_approvals: 1, status: "cancelled" }),
      item("c", { open_approvals: 2 }),
      item("d", { failing: { what: "provider", provider: "local", reason: "HTTP 500" } }),
    ]);
    expect(waitingFirst(rows).map((row) => row.item.id)).to.deep.equal(["b", "c", "d", "a", "ended"]);
  });
});

describe("applyEvent(rows, message)", () => {
  const rows = rowsOf([item("a"), item("b")]);

  it("shows what a session's agents do, until they are known to be in another stage", () => {
    const text = "Stage 1 of 2 (look): 1 agent running";
    const message = { type: "session.progress", session_id: "b", status_text: text };
    const after = applyEvent(rows, message);
    expect(after[0]).to.equal(rows[0]);
    const shownAt = (stage_text: string) => refreshRows(after, [item("b", { stage_text })])[1]?.activity;
    expect(after[1]).to.deep.include({ activity: text });
    expect(shownAt("Stage 1 of 2 (look)")).to.equal(text);
    expect(shownAt("Stage 2 of 2 (act)")).to.equal("Stage 2 of 2 (act)");
  });

  it("ends a session once, in its place", () => {
    const end = {
      type: "session.completed",
      session_id: "a",
      status: "failed",
      timestamp: "2026-11-23T11:00:05.000Z",
    };
    const after = applyEvent(rows, end);
    expect(after.map((row) => row.item.id)).to.deep.equal(["a", "b"]);
    expect(after[0]?.item).to.include({ status: "failed", duration_ms: 4_000 });
    const late = applyEvent(after, { type: "session.status", session_id: "a", status: "in_progress" });
    expect(late).to.equal(after);
  });

  it("ignores sessions that are not shown, and events that it does not know", () => {
    expect(applyEvent(rows, { type: "session.status", session_id: "c", status: "failed" })).to.equal(rows);
    expect(applyEvent(rows, { type: "session.moon", session_id: "a" })).to.equal(rows);
    expect(applyEvent(rows, { type: "session.status", session_id: "a", status: "sleeping" })).to.equal(rows);
  });

  it("says whether a decision is waited for", () => {
    const asked = applyEvent(rows, { type: "approval.requested", session_id: "a" });
    expect(asked[0]?.item.open_approvals).to.equal(1);
    const decided = applyEvent(asked, { type: "approval.decided", session_id: "a" });
    expect(decided[0]?.item.open_approvals).to.equal(0);
    expect(applyEvent(rows, { type: "approval.decided", session_id: "a" })[0]?.item.open_approvals).to.equal(
      0,
    );
  });

  it("follows a review", () => {
    const after = applyEvent(rows, {
      type: "review.status",
      session_id: "a",
      review_status: "in_progress",
      assignee: "eva",
    });
    expect(after[0]?.item).to.include({ review_status: "in_progress", assignee: "eva" });
  });
});

describe("missingRows(rows, read, settled)", () => {
  it("are those that were not read, unless they were read after their end", () => {
    const rows = rowsOf([item("running"), item("ended"), item("settled"), item("read")]);
    const settled = new Set<string>();
    settle(settled, [item("settled", { status: "failed" }), item("running")]);
    const missing = missingRows(rows, [item("read")], settled);
    expect(missing.map(({ id }) => id)).to.deep.equal(["running", "ended"]);
  });
});

describe("refreshRows(rows, items)", () => {
  it("changes values and neither adds, removes nor moves a row", () => {
    const rows = rowsOf([item("a"), item("b")]);
    const after = refreshRows(rows, [item("new"), item("b", { status: "completed", total_tokens: 9 })]);
    expect(after.map((row) => row.item.id)).to.deep.equal(["a", "b"]);
    expect(after[1]?.item).to.include({ status: "completed", total_tokens: 9 });
  });
});
