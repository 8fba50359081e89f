import { expect } from "chai";
import { ApiFixture } from "./api-fixture.ts";

describe("the fingerprint of an alert's Slack message", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start();
  });
  after(() => api[Symbol.asyncDispose]());

  const submit = async (body: object, headers: Record<string, string> = {}) => {
    const { status, text } = await api.raw("POST", "/api/v1/alerts", {
      body: Buffer.from(JSON.stringify(body)),
      headers: { "content-type": "application/json", ...headers },
    });
    const decoded: unknown = JSON.parse(text);
    return { status, body: { ...(typeof decoded === "object" ? decoded : {}) } };
  };
  const shown = async (...request: Parameters<typeof submit>) => {
    const { status, body } = await submit(...request);
    expect(status, JSON.stringify(body)).to.equal(202);
    const id = "session_id" in body ? String(body.session_id) : "";
    return (await api.client.request("GET", `/api/v1/sessions/${id}`)).body["slack_message_fingerprint"];
  };

  it("is stored and shown, however the alert is stored", async () => {
    const slack_message_fingerprint = "disk full on \u0000node-7 🔥";
    const stored = "disk full on \uFFFDnode-7 🔥";
    expect(await shown({ data: "x", slack_message_fingerprint })).to.equal(stored);
    // A long alert and one with a key have a statement of their own.
    expect(await shown({ data: "x".repeat(40_000), slack_message_fingerprint })).to.equal(stored);
    const key = { "idempotency-key": "slack-1" };
    expect(await shown({ data: "y", slack_message_fingerprint }, key)).to.equal(stored);
    for (const none of [{}, { slack_message_fingerprint: null }, { slack_message_fingerprint: "" }]) {
      expect(await shown({ data: "x", ...none })).to.equal(undefined);
    }
  });

  it("belongs to the request that an Idempotency-Key stands for", async () => {
    const key = { "idempotency-key": "slack-2" };
    const first = await submit({ data: "x", slack_message_fingerprint: "one" }, key);
    expect(await submit({ data: "x", slack_message_fingerprint: "one" }, key)).to.deep.equal(first);
    expect(await submit({ data: "x", slack_message_fingerprint: "two" }, key)).to.include({ status: 422 });
  });

  it("is a text of at most 1,000 characters", async () => {
    for (const wrong of [7, "x".repeat(1_001)]) {
      const { status, body } = await submit({ data: "x", slack_message_fingerprint: wrong });
      expect(status).to.equal(400);
      expect(body).to.have.property("message").that.includes("'slack_message_fingerprint'");
    }
  });
});
