import { expect } from "chai";
import { ApiFixture } from "./api-fixture.ts";

const MEBIBYTE = 1_048_576;
const JSON_TYPE = { "content-type": "application/json" };
const REQUIRED = { message: "data field is required" };

describe("POST /api/v1/alerts", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start({
      config: {
        tarsy: {
          mcp_servers: { "my-server": { transport: { type: "stdio", command: "my-server" } } },
        },
      },
    });
  });
  after(() => api[Symbol.asyncDispose]());

  it("answers 202 once session and runtime rows are committed", async () => {
    const { status, body } = await api.client.request("POST", "/api/v1/alerts", { data: "disk full" });
    expect(status).to.equal(202);
    expect(body).to.include({ status: "queued", message: "Alert submitted for processing" });
    const id = String(body["session_id"]);
    expect(Object.keys(body)).to.have.length(3);
    expect(
      await api.sessionRow("alert_data, status, agent_type, alert_type, chain_id, author, runbook_url", id),
    ).to.deep.equal({
      alert_data: "disk full",
      status: "pending",
      agent_type: "test",
      alert_type: "test",
      chain_id: "test-chain",
      author: "api-client",
      runbook_url: null,
    });
    expect(
      await api.servers.query("SELECT lease_epoch, last_seq FROM session_runtime WHERE session_id = $1", [
        id,
      ]),
    ).to.deep.equal([{ lease_epoch: 0, last_seq: 0 }]);
  });

  it("checks data before size, size before MCP servers, MCP servers before alert type", async () => {
    const tooLarge = "x".repeat(MEBIBYTE + 1);
    const bad = { alert_type: "nope", mcp: { servers: [{ name: "none" }] } };
    const submit = async (fields: object) => api.client.request("POST", "/api/v1/alerts", fields);
    expect(await submit({ ...bad, data: "" })).to.deep.equal({ status: 400, body: REQUIRED });
    expect(await submit({ ...bad, data: tooLarge })).to.deep.equal({
      status: 413,
      body: { message: "alert data exceeds maximum size of 1048576 bytes" },
    });
    const unknownServer = await submit({ ...bad, data: "x" });
    expect(unknownServer).to.include({ status: 400 });
    expect(unknownServer.body["message"]).to.equal(
      `validation error on field 'mcp_selection': MCP server "none" not found in configuration`,
    );
    expect(unknownServer.body["allowed"]).to.include("my-server");
    const unknownType = await submit({ data: "x", alert_type: bad.alert_type });
    expect(unknownType).to.include({ status: 400 });
    expect(unknownType.body).to.deep.equal({
      message: "validation error on field 'alert_type': no chain found for alert type 'nope'",
      allowed: ["kubernetes", "test"],
    });
    const long = await submit({ data: "x", alert_type: "😀".repeat(100_000) });
    expect(long.body["message"]).to.equal(
      `validation error on field 'alert_type': no chain found for alert type '${"😀".repeat(50)}…'`,
    );
  });

  it("bounds the runbook and the selected servers", async () => {
    const refused = [
      [{ runbook: "x".repeat(65_537) }, "field 'runbook' must NOT have more than 65536 characters"],
      [
        { mcp: { servers: Array.from({ length: 101 }, () => ({ name: "a" })) } },
        "field 'mcp.servers' must NOT have more than 100 items",
      ],
    ] as const;
    for (const [fields, message] of refused) {
      const { status, body } = await api.client.request("POST", "/api/v1/alerts", { data: "x", ...fields });
      expect(status).to.equal(400);
      expect(body["message"]).to.include(message);
    }
  });

  it("takes the author from the proxy's headers, the user before the mail address", async () => {
    const authors: unknown[] = [];
    const user = { "x-forwarded-user": "ann" };
    const email = { "x-forwarded-email": "ann@example.org" };
    const accented = { "x-forwarded-user": Buffer.from("Zoë").toString("latin1") };
    for (const headers of [{ ...user, ...email }, email, {}, accented]) {
      const body = Buffer.from('{"data":"x"}');
      const { text } = await api.raw("POST", "/api/v1/alerts", {
        body,
        headers: { ...JSON_TYPE, ...headers },
      });
      const id = /"session_id":"([^"]+)"/u.exec(text)?.[1] ?? "";
      authors.push(await api.sessionRow("author", id));
    }
    expect(authors).to.deep.equal([
      { author: "ann" },
      { author: "ann@example.org" },
      { author: "api-client" },
      { author: "Zoë" },
    ]);
  });
});
