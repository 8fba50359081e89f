import { expect } from "chai";
import type { Client } from "@modelcontextprotocol/client";
import { until } from "../../../test/support/until.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";
import {
  connectedToBus,
  connectMcp,
  HASH,
  openQuestion,
  textOf,
  type Elicited,
  membersOf,
  taskCalls,
  addressOf,
} from "./mcp-fixture.ts";

const DECIDES = { system: { mcp: { decide: "operators" } } };
const approve: Elicited = () => ({ action: "accept", content: { decision: "approve" } });

describe("decisions about tool calls over MCP", () => {
  let api: ApiFixture;
  let replica: ApiFixture;
  let off: ApiFixture;

  before(async () => {
    api = await ApiFixture.start({ env: KEY_ACCESS, config: { tarsy: DECIDES } });
    const { servers } = api;
    replica = await ApiFixture.start({ servers, env: KEY_ACCESS, config: { tarsy: DECIDES } });
    off = await ApiFixture.start({ servers, env: KEY_ACCESS });
    for (const one of [api, replica, off]) await connectedToBus(one);
  });
  after(async () => {
    for (const one of [off, replica, api]) await one[Symbol.asyncDispose]();
  });

  const { keyOf, send, start, poll } = taskCalls(() => api);
  const decisions = async (approval: string) =>
    api.servers.query("SELECT state, decided_by, decided_via FROM approvals WHERE approval_id = $1", [
      approval,
    ]);
  it("ask those who may decide, show others that they wait, and are decided once", async () => {
    const owner = await keyOf("ann", "submitter");
    const { taskId: id } = await start(owner);
    const approval = await openQuestion(api, id);
    const seen = membersOf((await poll(owner, id))["result"]);
    expect(seen).to.include({ status: "working", statusMessage: "waits: a person must agree" });
    // A key without the scope, and an api where it is off.
    const careful = await keyOf("carl", "operator", "{read,write}");
    const operator = await keyOf("olga", "operator");
    expect(membersOf((await poll(careful, id))["result"])["status"]).to.equal("working");
    expect(membersOf((await poll(operator, id, off))["result"])["status"]).to.equal("working");
    const asked = membersOf((await poll(operator, id))["result"]);
    expect(asked["status"]).to.equal("input_required");
    const form = membersOf(asked["inputRequests"])[`approval:${approval}`];
    expect(membersOf(membersOf(form)["params"])["message"])
      .to.include("k8s.remove")
      .and.include(HASH)
      .and.include("checkout\\u202e-1")
      .and.not.include("\u202E");
    const answer = { [`approval:${approval}`]: { action: "accept", content: { decision: "approve" } } };
    const update = async (headers: Record<string, string>, on = api, inputResponses: object = answer) =>
      (
        await send(
          headers,
          on,
        )({ method: "tasks/update", params: { taskId: id, inputResponses: { ...inputResponses } } })
      ).body;
    for (const [headers, on] of [
      [owner, api],
      [careful, api],
      [operator, off],
    ] as const) {
      expect(await update(headers, on)).to.have.property("error");
    }
    expect(await update(operator, api, { [`approval:${approval}`]: { action: "decline" } })).to.have.property(
      "result",
    );
    expect(await decisions(approval)).to.deep.equal([
      { state: "awaiting_approval", decided_by: null, decided_via: null },
    ]);
    const results = await Promise.all([update(operator), update(operator, replica)]);
    expect(results.filter((one) => "result" in one)).to.have.length(1);
    expect(await decisions(approval)).to.deep.equal([
      { state: "approved", decided_by: "key:olga", decided_via: "mcp" },
    ]);
    expect(membersOf((await poll(operator, id))["result"])["status"]).to.equal("working");
    await until("the audit log has it", async () => {
      const rows = await api.servers.query(
        `SELECT subject, via, result, detail ->> 'decision' AS decision FROM audit_log
         WHERE session_id = $1 AND action = 'approval.decide' AND result = 'allowed'`,
        [id],
      );
      return (
        JSON.stringify(rows) === '[{"subject":"olga","via":"mcp","result":"allowed","decision":"approved"}]'
      );
    });
  });

  it("are decided by the user of a client with the tool, which shows the arguments", async () => {
    const operator = await keyOf("olga", "operator");
    const { taskId: id } = await start(operator);
    const approval = await openQuestion(api, id);
    const shown: string[] = [];
    const client = await connectMcp(addressOf(api), operator, {
      elicit: (message) => {
        shown.push(message);
        return approve(message);
      },
    });
    const call = async (on: Client, hash: string, more: object = {}) =>
      on.callTool({ name: "decide", arguments: { approval_id: approval, arguments_sha256: hash, ...more } });
    const listed = await client.callTool({ name: "list_pending_approvals", arguments: { session_id: id } });
    expect(textOf(listed)).to.include(HASH).and.include("k8s.remove");
    const other = await call(client, "0".repeat(64));
    expect([other.isError, textOf(other), shown.length]).to.deep.equal([true, textOf(other), 0]);
    expect(textOf(other)).to.include("other arguments");
    const decided = await call(client, HASH);
    expect(decided.structuredContent).to.include({ decided: true, state: "approved" });
    expect(shown).to.have.length(1);
    expect(shown[0]).to.include("k8s.remove").and.include(HASH);
    const again = await call(client, HASH);
    expect(textOf(again)).to.include("already been decided");
    expect(await decisions(approval)).to.deep.equal([
      { state: "approved", decided_by: "key:olga", decided_via: "mcp" },
    ]);
    await client.close();
  });

  it("are decided in the legacy era with an argument, and nowhere while it is off", async () => {
    const operator = await keyOf("olga", "operator");
    const { taskId: id } = await start(operator);
    const approval = await openQuestion(api, id);
    const call = async (client: Client, more: object) =>
      client.callTool({
        name: "decide",
        arguments: { approval_id: approval, arguments_sha256: HASH, ...more },
      });
    for (const mode of ["auto", "legacy"] as const) {
      const refusing = await connectMcp(addressOf(off), operator, { mode, elicit: approve });
      expect((await refusing.listTools()).tools.map(({ name }) => name)).to.not.include("decide");
      const refused = await call(refusing, mode === "legacy" ? { decision: "approve" } : {});
      expect([refused.isError, textOf(refused)]).to.deep.equal([true, textOf(refused)]);
      expect(textOf(refused)).to.include("system.mcp.decide");
      await refusing.close();
    }
    const older = await connectMcp(addressOf(api), operator, { mode: "legacy" });
    expect(textOf(await call(older, {}))).to.include("'decision'");
    const wrong = await older.callTool({
      name: "decide",
      arguments: { approval_id: approval, arguments_sha256: "0".repeat(64), decision: "approve" },
    });
    expect(textOf(wrong)).to.include("other arguments");
    expect(await decisions(approval)).to.deep.equal([
      { state: "awaiting_approval", decided_by: null, decided_via: null },
    ]);
    const denied = await call(older, { decision: "deny", reason: "not today" });
    expect(denied.structuredContent).to.include({ decided: true, state: "denied" });
    await older.close();
  });

  it("need the approval token on one's own machine", async () => {
    const token = "the-token-of-the-tests-0123456789abcdef";
    await using local = await ApiFixture.start({
      servers: api.servers,
      env: { APPROVAL_TOKEN: token },
      config: { tarsy: DECIDES },
    });
    await connectedToBus(local);
    const { taskId: id } = await start({}, local);
    const approval = await openQuestion(api, id);
    expect(membersOf((await poll({}, id, local))["result"])["status"]).to.equal("working");
    const inputResponses = {
      [`approval:${approval}`]: { action: "accept", content: { decision: "approve" } },
    };
    const update = async (headers: Record<string, string>) =>
      (await send(headers, local)({ method: "tasks/update", params: { taskId: id, inputResponses } })).body;
    expect(membersOf((await update({}))["error"])["message"]).to.include("approval token");
    const credential = { authorization: `Bearer ${token}` };
    expect(membersOf((await poll(credential, id, local))["result"])["status"]).to.equal("input_required");
    expect(await update(credential)).to.have.property("result");
    expect(await decisions(approval)).to.deep.equal([
      { state: "approved", decided_by: "loopback", decided_via: "mcp" },
    ]);
  });
});
