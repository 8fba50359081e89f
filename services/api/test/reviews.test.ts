import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ReviewAction } from "#shared/contracts/review.ts";
import { ReviewActivityResponse, ReviewResponse } from "../reviews/contract.ts";
import { ApiFixture } from "./api-fixture.ts";

const parseResults = compileParser("review response", ReviewResponse);
const parseActivity = compileParser("review activity", ReviewActivityResponse);

describe("PATCH /api/v1/sessions/review", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;

  before(async () => {
    api = resources.use(await ApiFixture.start());
  });
  after(() => resources.disposeAsync());

  const send = async (body: unknown, user = "ann") => {
    const { status, text } = await api.raw("PATCH", "/api/v1/sessions/review", {
      body: Buffer.from(JSON.stringify(body)),
      headers: { "content-type": "application/json", "x-forwarded-user": user },
    });
    const decoded: unknown = JSON.parse(text);
    return { status, body: decoded };
  };
  const review = async (
    session_ids: readonly string[],
    action: ReviewAction,
    more: { readonly user?: string; readonly [field: string]: unknown } = {},
  ) => {
    const { user, ...fields } = more;
    const { status, body } = await send({ session_ids, action, ...fields }, user);
    expect(status, JSON.stringify(body)).to.equal(200);
    return parseResults(body).results;
  };
  /** Takes a step that must be allowed. */
  const step = async (id: string, action: ReviewAction, more?: Parameters<typeof review>[2]) => {
    expect(await review([id], action, more)).to.deep.equal([{ session_id: id, success: true }]);
  };
  const ended = async (status = "completed") => {
    const id = await api.client.submit("x");
    await api.servers.query(
      "UPDATE alert_sessions SET status = $2::session_status, completed_at = now() WHERE session_id = $1",
      [id, status],
    );
    return id;
  };
  const activity = async (id: string) => {
    const { status, body } = await api.client.request("GET", `/api/v1/sessions/${id}/review-activity`);
    expect(status).to.equal(200);
    return parseActivity(body).activities;
  };
  const row = async (id: string) => {
    const [found] = await api.servers.query(
      `SELECT review_status, assignee, assigned_at IS NOT NULL AS assigned, quality_rating, action_taken,
              investigation_feedback, feedback_edited, feedback_edited_by, feedback_edited_at IS NOT NULL AS edited
       FROM alert_sessions WHERE session_id = $1`,
      [id],
    );
    return found;
  };
  const NOTHING = {
    assignee: null,
    assigned: false,
    quality_rating: null,
    action_taken: null,
    investigation_feedback: null,
    feedback_edited: false,
    feedback_edited_by: null,
    edited: false,
  };

  it("leads from the end of a session to its review and back, and logs each step", async () => {
    const id = await ended();
    expect(await row(id)).to.deep.equal({ ...NOTHING, review_status: "needs_review" });
    await step(id, "claim");
    expect(await row(id)).to.include({ review_status: "in_progress", assignee: "ann", assigned: true });
    await step(id, "claim", { user: "bob" });
    expect(await row(id)).to.include({ review_status: "in_progress", assignee: "bob" });
    await step(id, "unclaim");
    expect(await row(id)).to.deep.equal({ ...NOTHING, review_status: "needs_review" });
    await step(id, "claim");
    const said = { quality_rating: "accurate", action_taken: "restarted it", investigation_feedback: "good" };
    await step(id, "complete", { ...said, user: "bob" });
    const completed = { ...NOTHING, ...said, review_status: "reviewed", assignee: "ann", assigned: true };
    expect(await row(id)).to.deep.equal(completed);
    await step(id, "update_feedback", { action_taken: "", quality_rating: "inaccurate", user: "bob" });
    const edited = { feedback_edited: true, feedback_edited_by: "bob", edited: true };
    expect(await row(id)).to.deep.equal({
      ...completed,
      ...edited,
      action_taken: null,
      quality_rating: "inaccurate",
    });
    await step(id, "acknowledge");
    expect(await row(id)).to.deep.equal({
      ...NOTHING,
      review_status: "reviewed",
      assignee: "ann",
      assigned: true,
    });
    await step(id, "reopen");
    expect(await row(id)).to.deep.equal({ ...NOTHING, review_status: "needs_review" });

    const log = await activity(id);
    expect(
      log.map(({ actor, action, from_status, to_status }) => [actor, action, from_status, to_status]),
    ).to.deep.equal([
      ["ann", "claim", "needs_review", "in_progress"],
      ["bob", "claim", "in_progress", "in_progress"],
      ["ann", "unclaim", "in_progress", "needs_review"],
      ["ann", "claim", "needs_review", "in_progress"],
      ["bob", "complete", "in_progress", "reviewed"],
      ["bob", "update_feedback", "reviewed", "reviewed"],
      ["ann", "acknowledge", "reviewed", "reviewed"],
      ["ann", "reopen", "reviewed", "needs_review"],
    ]);
    expect(log[4]).to.include({
      quality_rating: "accurate",
      note: "restarted it",
      investigation_feedback: "good",
    });
    const times = log.map(({ created_at }) => created_at);
    expect(times).to.deep.equal(times.toSorted());
  });

  it("claims with the completion or acknowledgement of an unclaimed review, and logs both", async () => {
    const id = await ended("failed");
    await step(id, "complete", { quality_rating: "partially_accurate" });
    expect(await row(id)).to.include({ review_status: "reviewed", assignee: "ann", assigned: true });
    const [claim, complete] = await activity(id);
    expect(claim).to.include({ action: "claim", from_status: "needs_review", to_status: "in_progress" });
    expect(claim).not.to.have.property("quality_rating");
    expect(complete).to.include({
      action: "complete",
      from_status: "in_progress",
      to_status: "reviewed",
      quality_rating: "partially_accurate",
    });
    const [apart] = await api.servers.query(
      `SELECT extract(microseconds FROM max(created_at) - min(created_at))::int AS us FROM session_review_activities
       WHERE session_id = $1`,
      [id],
    );
    expect(apart).to.have.property("us").that.is.greaterThan(0);
    const other = await ended("timed_out");
    await step(other, "acknowledge", { user: "bob" });
    expect(await row(other)).to.include({ review_status: "reviewed", assignee: "bob", assigned: true });
    expect((await activity(other)).map(({ action }) => action)).to.deep.equal(["claim", "acknowledge"]);
  });

  it("refuses, for each session alone, what its state does not allow", async () => {
    const [open, claimed, reviewed] = [await ended(), await ended(), await ended()];
    await step(claimed, "claim");
    await step(reviewed, "acknowledge");
    const running = await api.client.submit("x");
    const all = [open, claimed, reviewed, running, randomUUID(), "42"];
    const outcomes = async (action: ReviewAction, fields = {}) => {
      const results = await review(all, action, fields);
      expect(results.map(({ session_id }) => session_id)).to.deep.equal(all);
      return results.map(({ success, error }) => (success ? "done" : error));
    };
    const unknown = ["not found", "not found"];
    const early = "state conflict: the session is pending: it has not ended yet";
    expect(await outcomes("unclaim")).to.deep.equal([
      "state conflict: the review is needs_review, unclaim needs in_progress",
      "done",
      "state conflict: the review is reviewed, unclaim needs in_progress",
      early,
      ...unknown,
    ]);
    await step(claimed, "claim");
    for (const action of ["update_feedback", "reopen"] as const) {
      expect(await outcomes(action, action === "reopen" ? {} : { action_taken: "x" })).to.deep.equal([
        `state conflict: the review is needs_review, ${action} needs reviewed`,
        `state conflict: the review is in_progress, ${action} needs reviewed`,
        "done",
        early,
        ...unknown,
      ]);
    }
    await step(reviewed, "acknowledge");
    expect(await outcomes("claim")).to.deep.equal([
      "done",
      "done",
      "state conflict: the review is reviewed, claim needs needs_review or in_progress",
      early,
      ...unknown,
    ]);
    for (const action of ["complete", "acknowledge"] as const) {
      const fields = action === "complete" ? { quality_rating: "accurate" } : {};
      expect(await outcomes(action, fields)).to.deep.equal(["done", "done", "done", early, ...unknown]);
    }
    expect(await activity(running)).to.deep.equal([]);
  });

  it("takes fifty sessions, each once", async () => {
    const ids = await Promise.all(Array.from({ length: 3 }, async () => ended()));
    const all = [...ids, ...Array.from({ length: 47 }, () => randomUUID())];
    const results = await review([...all.slice(0, 49), ids[0] ?? ""], "claim");
    expect(results.map(({ success }) => success)).to.deep.equal(
      all.slice(0, 49).map((id) => ids.includes(id)),
    );
    for (const id of ids) expect(await activity(id)).to.have.length(1);
  });

  it("gives twenty concurrent claims one order, and the session to the last", async () => {
    const id = await ended();
    const users = Array.from({ length: 20 }, (_, n) => `user-${n}`);
    await Promise.all(users.map(async (user) => step(id, "claim", { user })));
    const log = await activity(id);
    expect(log.map(({ actor }) => actor)).to.have.members(users);
    expect(log.map(({ from_status }) => from_status)).to.deep.equal([
      "needs_review",
      ...Array.from({ length: 19 }, () => "in_progress"),
    ]);
    expect(await row(id)).to.include({ assignee: log.at(-1)?.actor });
    const events = await api.servers.query(
      "SELECT payload ->> 'actor' AS actor FROM events WHERE session_id = $1 ORDER BY seq",
      [id],
    );
    expect(events).to.deep.equal(log.map(({ actor }) => ({ actor })));
  });

  it("lets one of twenty concurrent releases through", async () => {
    const id = await ended();
    await step(id, "claim");
    const results = await Promise.all(Array.from({ length: 20 }, async () => review([id], "unclaim")));
    expect(results.flat().filter(({ success }) => success)).to.have.length(1);
  });

  it("tells those who follow the session, after its end", async () => {
    const id = await api.client.submit("x");
    await api.client.request("POST", `/api/v1/sessions/${id}/cancel`);
    await step(id, "complete", { quality_rating: "inaccurate", investigation_feedback: "why?" });
    const events = await api.servers.query("SELECT payload FROM events WHERE session_id = $1 ORDER BY seq", [
      id,
    ]);
    const payloads = events.map((event) => JSON.stringify(event));
    expect(payloads).to.have.length(4);
    expect(payloads[1]).to.include('"review_status":"reviewed"').and.to.include('"actor":"system"');
    for (const part of ['"actor":"ann"', '"assignee":"ann"', '"quality_rating":"inaccurate"', '"why?"']) {
      expect(payloads[3]).to.include(part);
    }
    expect(payloads[3]).not.to.include("action_taken");
    expect(await api.client.session(id)).to.include({
      review_status: "reviewed",
      assignee: "ann",
      quality_rating: "inaccurate",
      investigation_feedback: "why?",
    });
  });

  it("names the field of a request that is wrong", async () => {
    const id = randomUUID();
    const long = "x".repeat(10_001);
    for (const [body, message] of [
      [[], "request body must be a JSON object"],
      [{ action: "claim" }, "validation error on field 'session_ids': is required"],
      [{ session_ids: [], action: "claim" }, "'session_ids': must have 1 to 50 ids, got 0"],
      [
        { session_ids: Array.from({ length: 51 }, () => id), action: "claim" },
        "must have 1 to 50 ids, got 51",
      ],
      [{ session_ids: [id, 7], action: "claim" }, "'session_ids[1]': must be a string"],
      [{ session_ids: [id] }, "'action': is required"],
      [{ session_ids: [id], action: "approve" }, "'action': must be one of claim, unclaim, complete"],
      [{ session_ids: [id], action: "complete" }, "'quality_rating': is required to complete a review"],
      [{ session_ids: [id], action: "complete", quality_rating: "" }, "'quality_rating': is required"],
      [{ session_ids: [id], action: "complete", quality_rating: "good" }, "'quality_rating': must be one of"],
      [
        { session_ids: [id], action: "acknowledge", quality_rating: "accurate" },
        "'quality_rating': is not taken by the action acknowledge",
      ],
      [{ session_ids: [id], action: "update_feedback" }, "'action': update_feedback needs one of"],
      [{ session_ids: [id], action: "update_feedback", action_taken: 7 }, "'action_taken': must be a string"],
      [
        { session_ids: [id], action: "update_feedback", investigation_feedback: long },
        "'investigation_feedback': must have at most 10000 characters",
      ],
    ] as const) {
      const answer = await send(body);
      expect(answer.status, JSON.stringify(answer)).to.equal(400);
      expect(JSON.stringify(answer.body)).to.include(message);
    }
  });

  it("answers 404 about the activity of an unknown session", async () => {
    expect(await api.client.request("GET", `/api/v1/sessions/${randomUUID()}/review-activity`)).to.include({
      status: 404,
    });
  });
});
