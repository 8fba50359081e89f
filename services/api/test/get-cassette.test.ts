import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { parseCassette } from "#shared/cassette/parse-cassette.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";

describe("GET /api/v1/sessions/:id/cassette", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start({ env: KEY_ACCESS });
  });
  after(() => api[Symbol.asyncDispose]());

  const pathOf = (id: string) => `/api/v1/sessions/${id}/cassette`;
  const submitted = async (headers: { authorization: string }, data: string) => {
    const body = Buffer.from(JSON.stringify({ data }));
    const { text } = await api.raw("POST", "/api/v1/alerts", {
      body,
      headers: { ...headers, "content-type": "application/json" },
    });
    return /"session_id":"([^"]+)"/u.exec(text)?.[1] ?? "";
  };

  it("is a download of a session that has ended, for those who may see it", async () => {
    const ann = await api.keyOf("ann", ["submitter"]);
    const bob = await api.keyOf("bob", ["submitter"]);
    const id = await submitted(ann, "the disk is full");
    const running = await api.raw("GET", pathOf(id), { headers: ann });
    expect(running.status).to.equal(409);
    expect(running.text)
      .to.include('"code":"session_not_terminal"')
      .and.include("has not ended: it is pending");
    await api.raw("POST", `/api/v1/sessions/${id}/cancel`, { headers: ann });
    const { status, text, headers } = await api.raw("GET", pathOf(id), { headers: ann });
    expect(status, text).to.equal(200);
    expect(headers.get("content-disposition")).to.equal(`attachment; filename="${id}.cassette.json"`);
    expect(headers.get("content-type")).to.match(/^application\/json/u);
    const { session, executions, inputs } = parseCassette(text);
    expect(session).to.include({ session_id: id, status: "cancelled", alert_data: "the disk is full" });
    expect(executions).to.deep.equal([]);
    expect(inputs.is_cancel_requested).to.equal(true);
    expect((await api.raw("GET", pathOf(id), { headers: bob })).status).to.equal(404);
    expect((await api.raw("GET", pathOf(randomUUID()), { headers: ann })).status).to.equal(404);
    expect((await api.raw("GET", pathOf("x"), { headers: ann })).status).to.equal(400);
  });

  it("is refused for a session that is too large", async () => {
    const ann = await api.keyOf("ann", ["submitter"]);
    const id = await submitted(ann, "x");
    await api.raw("POST", `/api/v1/sessions/${id}/cancel`, { headers: ann });
    await api.servers.query(
      "INSERT INTO tool_results (call_id, session_id, bytes, lines, content) VALUES ($2, $1, 40000000, 1, 'x')",
      [id, randomUUID()],
    );
    const { status, text } = await api.raw("GET", pathOf(id), { headers: ann });
    expect(status).to.equal(409);
    expect(text).to.include('"code":"cassette_too_large"').and.include("may have 32 MiB");
  });
});
