import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { until } from "../../../test/support/until.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";
import {
  connectMcp,
  rawMcp,
  takenPlaces,
  textOf,
  membersOf,
  OF_TEAMS,
  addressOf,
  investigate,
} from "./mcp-fixture.ts";

describe("who gets in over MCP, and what they may", () => {
  let api: ApiFixture;
  let address: string;

  before(async () => {
    api = await ApiFixture.start({ env: KEY_ACCESS, config: { tarsy: OF_TEAMS } });
    address = addressOf(api);
  });
  after(() => api[Symbol.asyncDispose]());

  it("do for a viewer and a key without the scope what their role and scope allow, and record what they do not", async () => {
    const { client, id } = await investigate(api, await api.keyOf("ann", ["submitter"]), {
      alert_type: "team-alert",
    });
    await client.close();
    const viewer = await connectMcp(address, await api.keyOf("vera", ["viewer"], ["platform"]));
    const allowed = await viewer.callTool({ name: "get_investigation", arguments: { session_id: id } });
    expect(allowed.isError).to.not.equal(true);
    for (const [name, args] of [
      ["investigate", { data: "x" }],
      ["steer", { session_id: id, mode: "note", content: "x" }],
      ["ask", { session_id: id, question: "x" }],
      ["list_pending_approvals", {}],
    ] as const) {
      const refused = await viewer.callTool({ name, arguments: args });
      expect([name, refused.isError]).to.deep.equal([name, true]);
      expect(textOf(refused)).to.include("needs role");
    }
    await viewer.close();
    const { authorization } = await api.keyOf("reader", ["operator"]);
    await api.db.query("UPDATE api_keys SET scopes = '{read}' WHERE subject = 'reader'");
    const reader = await connectMcp(address, { authorization });
    expect((await reader.listTools()).tools.map(({ name }) => name)).to.not.include("investigate");
    const refused = await reader.callTool({ name: "investigate", arguments: { data: "x" } });
    expect([refused.isError, textOf(refused)]).to.deep.equal([true, textOf(refused)]);
    expect(textOf(refused)).to.include("scope write");
    await reader.close();
    // The scope limits this protocol only.
    const rest = await api.raw("POST", "/api/v1/alerts", {
      headers: { authorization, "content-type": "application/json" },
      body: Buffer.from('{"data":"x"}'),
    });
    expect(rest.status).to.equal(202);
    await until("the refusal is in the audit log", async () => {
      const rows = await api.servers.query(
        "SELECT via, detail ->> 'client' AS client FROM audit_log WHERE subject = 'reader' AND result = 'refused' AND action = 'alert.submit'",
        [],
      );
      return JSON.stringify(rows) === '[{"via":"mcp","client":"test-client 1.0.0"}]';
    });
  });

  it("tell a client without a credential where it signs in", async () => {
    const { status, headers } = await api.raw("POST", "/mcp", {
      headers: { "content-type": "application/json" },
      body: Buffer.from("{}"),
    });
    expect(status).to.equal(401);
    const metadata = `${address}/.well-known/oauth-protected-resource/mcp`;
    expect(headers.get("www-authenticate")).to.include(`resource_metadata="${metadata}"`);
    const described = await api.raw("GET", "/.well-known/oauth-protected-resource/mcp");
    expect(JSON.parse(described.text)).to.deep.include({ resource: `${address}/mcp` });
  });

  it("refuse foreign pages, bodies that are too large, batches and what is no message", async () => {
    const headers = { ...(await api.keyOf("odd", ["submitter"])), "content-type": "application/json" };
    const post = async (body: string, more: Record<string, string> = {}) =>
      (await api.raw("POST", "/mcp", { headers: { ...headers, ...more }, body: Buffer.from(body) })).status;
    expect(await post("{}", { origin: "https://evil.example" })).to.equal(403);
    expect(await post(`{"a":"${"x".repeat(9 * 1024 * 1024)}"}`)).to.equal(413);
    expect(await post("[]")).to.equal(400);
    expect(await post("{")).to.equal(400);
    expect(await post('{"jsonrpc":"2.0"}')).to.equal(400);
    expect((await api.raw("GET", "/mcp", { headers })).status).to.equal(405);
    const send = rawMcp(() => address, headers);
    expect(membersOf((await send({ method: "nothing/here", params: {} })).body["error"])["code"]).to.equal(
      -32_601,
    );
  });

  it("notice of a session reaches those who follow it and may see it, until they leave", async () => {
    const key = await api.keyOf("ann", ["submitter"]);
    const { client, id } = await investigate(api, key, { alert_type: "kubernetes" });
    const uri = `tarsy://sessions/${id}`;
    const updated: string[] = [];
    client.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }) => void updated.push(params.uri),
    );
    const stranger = await connectMcp(address, await api.keyOf("bob", ["submitter"]));
    const hidden: string[] = [];
    stranger.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }) => void hidden.push(params.uri),
    );
    const open = async () => takenPlaces(api);
    const before_ = await open();
    const listening = await client.listen({ resourceSubscriptions: [uri] });
    const useless = await stranger.listen({
      resourceSubscriptions: [uri, `tarsy://sessions/${randomUUID()}`],
    });
    expect(await open()).to.equal(before_ + 1);
    await client.callTool({
      name: "steer",
      arguments: { session_id: id, mode: "note", content: "look at DNS" },
    });
    await until("the notice is there", () => updated.length > 0);
    expect(updated[0]).to.equal(uri);
    expect(hidden).to.deep.equal([]);
    await listening.close();
    await useless.close();
    await until("its place is free again", async () => (await open()) === before_);
    await client.close();
    await stranger.close();
  });
});
