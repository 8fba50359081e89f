import { expect } from "chai";
import { ApiFixture } from "./api-fixture.ts";

describe("the fields of a review", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start();
  });
  after(() => api[Symbol.asyncDispose]());

  it("are ignored where the action does not take them, unless they are wrong, and an id in upper case names the same session", async () => {
    const id = await api.client.submit("x");
    await api.servers.query(
      "UPDATE alert_sessions SET status = 'completed', completed_at = now() WHERE session_id = $1",
      [id],
    );
    const send = async (body: object) => api.client.request("PATCH", "/api/v1/sessions/review", body);
    const unused = {
      quality_rating: "accurate",
      action_taken: "x",
      investigation_feedback: "x".repeat(10_000),
    };
    const session_ids = [id.toUpperCase(), id];
    expect(await send({ session_ids, action: "claim", ...unused })).to.deep.equal({
      status: 200,
      body: { results: [{ session_id: id.toUpperCase(), success: true }] },
    });
    for (const [field, value] of [
      ["quality_rating", "good"],
      ["action_taken", 7],
      ["investigation_feedback", "x".repeat(10_001)],
    ] as const) {
      const { status, body } = await send({ session_ids, action: "claim", [field]: value });
      expect([status, JSON.stringify(body)]).to.satisfy(
        ([code, text]: [number, string]) => code === 400 && text.includes(`'${field}'`),
      );
    }
    const done = { action: "complete", quality_rating: "accurate", action_taken: "a\ud800" };
    expect(await send({ session_ids: [id], ...done })).to.include({ status: 200 });
    const session: object = await api.client.session(id);
    expect(session).to.include({ action_taken: "a\uFFFD", investigation_feedback: null });
  });
});
