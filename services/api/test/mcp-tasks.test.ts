import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { until } from "../../../test/support/until.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";
import {
  connectedToBus,
  connectMcp,
  takenPlaces,
  taskSession,
  membersOf,
  textFrom,
  taskCalls,
  addressOf,
} from "./mcp-fixture.ts";

const DECIDES = { system: { mcp: { decide: "operators" } } };

describe("investigations as tasks over MCP", () => {
  let api: ApiFixture;
  let replica: ApiFixture;

  before(async () => {
    api = await ApiFixture.start({ env: KEY_ACCESS, config: { tarsy: DECIDES } });
    const { servers } = api;
    replica = await ApiFixture.start({ servers, env: KEY_ACCESS, config: { tarsy: DECIDES } });
    for (const one of [api, replica]) await connectedToBus(one);
  });
  after(async () => {
    for (const one of [replica, api]) await one[Symbol.asyncDispose]();
  });

  const { keyOf, send, start, poll } = taskCalls(() => api);
  it("are sessions, for clients that declare the extension and no others", async () => {
    const headers = await keyOf("ann", "submitter");
    const { task, taskId } = await start(headers);
    expect(task).to.include({ resultType: "task", status: "working", ttlMs: null });
    expect(await api.sessionRow("owner_subject", taskId)).to.deep.equal({ owner_subject: "key:ann" });
    const { body } = await send(headers)({
      method: "tools/call",
      params: { name: "investigate", arguments: { data: "x" } },
    });
    expect(membersOf(body["result"])).to.not.have.property("taskId");
    const older = await connectMcp(addressOf(api), headers, { mode: "legacy" });
    expect(older.getServerCapabilities()).to.not.have.property("extensions");
    const plain = await older.callTool({ name: "investigate", arguments: { data: "x" } });
    expect(plain.structuredContent).to.have.property("session_id");
    await older.close();
  });

  it("go from working to their end, on any replica", async () => {
    const headers = await keyOf("ann", "submitter");
    let turn = 0;
    const address = () => addressOf(turn++ % 2 === 0 ? api : replica);
    const client = await connectMcp(addressOf(api), headers);
    const session = taskSession(client, address, headers);
    const execution = await session.callTool("investigate", { data: "x" });
    if (execution.kind !== "task") throw new Error("no task");
    const { taskId: id } = execution.serializeReference();
    await api.servers.query(
      "UPDATE alert_sessions SET status = 'completed', completed_at = now(), started_at = now(), final_analysis = 'disk full' WHERE session_id = $1",
      [id],
    );
    const { outcome } = await execution.settle();
    expect(outcome.status).to.equal("completed");
    expect(JSON.stringify(outcome)).to.include("disk full");
    await session.close();
    await client.close();
    for (const [status, shown] of [
      ["failed", "failed"],
      ["timed_out", "failed"],
      ["cancelled", "cancelled"],
    ]) {
      const other = await start(headers);
      await api.servers.query(
        "UPDATE alert_sessions SET status = $2, completed_at = now(), started_at = now(), error_message = 'no model' WHERE session_id = $1",
        [other.taskId, status],
      );
      const result = membersOf((await poll(headers, other.taskId))["result"]);
      expect(result["status"]).to.equal(shown);
      if (shown === "failed") expect(result["error"]).to.deep.equal({ code: -32_603, message: "no model" });
    }
  });

  it("are cancelled by their owner, and unknown to others", async () => {
    const headers = await keyOf("ann", "submitter");
    const { taskId: id } = await start(headers);
    const bob = await keyOf("bob", "submitter");
    for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
      for (const task of [id, randomUUID(), "no-task"]) {
        const { body } = await send(bob)({ method, params: { taskId: task } });
        expect(body["error"]).to.include({ code: -32_602, message: "Task not found" });
      }
    }
    const { body } = await send(headers)({ method: "tasks/cancel", params: { taskId: id } });
    expect(body).to.have.property("result");
    expect(membersOf((await poll(headers, id))["result"])["status"]).to.equal("cancelled");
  });

  it("cost nothing but reads when they are polled a thousand times", async () => {
    const headers = await keyOf("ann", "submitter");
    const { taskId: id } = await start(headers);
    await poll(headers, id);
    // A row that was written has a newer number, and one that was deleted is missing.
    const tables = await api.servers.query(
      "SELECT quote_ident(relname) AS name FROM pg_stat_user_tables WHERE schemaname = 'public' ORDER BY relname",
      [],
    );
    const parts = tables.map((row) => {
      const name = textFrom(membersOf(row)["name"]);
      return `SELECT '${name}' AS name, count(*)::int AS rows, max(xmin::text::bigint)::text AS newest FROM ${name}`;
    });
    expect(parts.length).to.be.greaterThan(20);
    const state = async () => api.servers.query(parts.join(" UNION ALL "), []);
    const before_ = await state();
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, async (_, index) => poll(headers, id, index % 2 === 0 ? api : replica)),
    );
    expect(new Set(answers.map(({ result }) => membersOf(result)["status"]))).to.deep.equal(
      new Set(["working"]),
    );
    expect(await state()).to.deep.equal(before_);
  });

  it("wait for the end of an investigation with a client that knows no tasks", async () => {
    const headers = await keyOf("ann", "submitter");
    const client = await connectMcp(addressOf(api), headers);
    const { taskId: id } = await start(headers);
    const waiting = client.callTool({
      name: "get_investigation",
      arguments: { session_id: id, wait_seconds: 20 },
    });
    const open = async () => takenPlaces(api);
    await until("it waits", async () => (await open()) === 1);
    await send(headers, replica)({ method: "tasks/cancel", params: { taskId: id } });
    expect((await waiting).structuredContent).to.include({ status: "cancelled" });
    await until("its place is free again", async () => (await open()) === 0);
    await client.close();
  });
});
