import { expect } from "chai";
import type { ReviewAction } from "#shared/contracts/review.ts";
import { ApiFixture } from "./api-fixture.ts";

describe("a step in a review with what the reviewer saw", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start();
  });
  after(() => api[Symbol.asyncDispose]());

  const send = async (body: object, user = "ann") => {
    const { status, text } = await api.raw("PATCH", "/api/v1/sessions/review", {
      body: Buffer.from(JSON.stringify(body)),
      headers: { "content-type": "application/json", "x-forwarded-user": user },
    });
    return { status, text };
  };
  const UNCLAIMED = { review_status: "needs_review", assignee: null };

  it("is taken by the first of two people, and tells the second who that was", async () => {
    const id = await api.ended();
    const seen = async () => {
      const [found] = await api.servers.query(
        "SELECT review_status, assignee FROM alert_sessions WHERE session_id = $1",
        [id],
      );
      return found;
    };
    const step = async (action: ReviewAction, user: string, more: object = {}) => {
      const { status, text } = await send({ session_ids: [id], action, ...more }, user);
      expect(status, text).to.equal(200);
    };
    /** Both have seen the same. */
    const race = async (action: ReviewAction) => {
      const body = { session_ids: [id], action, expected: await seen() };
      const answers = await Promise.all([send(body, "amy"), send(body, "bob")]);
      expect(answers.map(({ status }) => status === 200).filter(Boolean), action).to.have.length(1);
      return answers.find(({ status }) => status === 409)?.text;
    };
    const told = await race("claim");
    const assignee = String(Object.entries((await seen()) ?? {}).find(([name]) => name === "assignee")?.[1]);
    expect(told).to.match(new RegExp(`"${assignee} has claimed this since [\\d:]{5} UTC"`, "u"));
    // A second press of the same person.
    await step("claim", assignee, { expected: UNCLAIMED });
    expect(await race("unclaim")).to.include("this needs a review again");
    await step("acknowledge", "eve");
    const late = { session_ids: [id], action: "claim", expected: UNCLAIMED };
    expect(await send(late)).to.deep.equal({ status: 409, text: '{"message":"eve has reviewed this"}' });
    expect(await race("reopen")).to.include("this needs a review again");
  });

  it("is refused for those alone that are different, and wants a state", async () => {
    const [claimed, free] = [await api.ended(), await api.ended()];
    await send({ session_ids: [claimed], action: "claim" }, "amy");
    const body = { session_ids: [claimed, free], action: "claim" };
    const { status, text } = await send({ ...body, expected: UNCLAIMED });
    expect(status).to.equal(200);
    expect(text)
      .to.match(/"error":"amy has claimed this since/u)
      .and.include(`{"session_id":"${free}","success":true}`);
    const wrong = await send({ ...body, expected: { review_status: "gone", assignee: null } });
    expect(wrong.status).to.equal(400);
    expect(wrong.text).to.include("expected.review_status");
  });
});
