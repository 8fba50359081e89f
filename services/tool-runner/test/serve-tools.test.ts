import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { request } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import {
  toolCallReplyCodec,
  toolCallRequestCodec,
  type ToolCallRequest,
} from "#shared/contracts/tool-call.ts";
import { toolListReplyCodec, toolListRequestCodec } from "#shared/contracts/tool-list.ts";
import { toolCallRequest } from "../../../test/support/tool-call-request.ts";
import { ToolFixture, type ClaimedSession } from "../../../test/support/tool-fixture.ts";
import { until } from "../../../test/support/until.ts";
import { loadToolRunnerConfig } from "../config.ts";
import type { Tool } from "../tool.ts";
import { serveInProcess } from "./serve-in-process.ts";

const CALLS = { request: toolCallRequestCodec, reply: toolCallReplyCodec };
const LISTS = { request: toolListRequestCodec, reply: toolListReplyCodec };

/** A tool that runs until the test opens its gate. */
function gatedTool(): Tool & { readonly open: () => void; readonly running: () => number } {
  const gate = Promise.withResolvers<void>();
  let running = 0;
  return {
    description: {
      name: "lab.gate",
      server: "lab",
      description: "",
      parameters_schema: '{"type":"object"}',
      read_only: true,
    },
    call: async () => {
      running += 1;
      await gate.promise;
      return { isError: false, content: ["opened"] };
    },
    open: gate.resolve,
    running: () => running,
  };
}

describe("serveTools", () => {
  const resources = new AsyncDisposableStack();
  let fixture: ToolFixture;
  let session: ClaimedSession;

  before(async () => {
    fixture = resources.use(await ToolFixture.start({}));
    session = await fixture.session({ mcp_servers: ["lab"] });
  });
  after(async () => resources.disposeAsync());

  const serve = async (tool: Tool, maxRunning = 5) => serveInProcess(fixture, [tool], { maxRunning });
  const newCall = (): ToolCallRequest => toolCallRequest(session, "lab.gate");
  const ask = async (call: ToolCallRequest) =>
    (await request(fixture.bus, SUBJECTS.toolsCall, CALLS, call, 30_000)).answer;

  it("lists the tools of the requested servers", async () => {
    await using _ = await serve(gatedTool());
    const ids = { session_id: randomUUID(), execution_id: randomUUID() };
    const list = async (...server_ids: string[]) =>
      request(fixture.bus, SUBJECTS.toolsList, LISTS, { ...ids, server_ids }, 5_000);
    expect(await list("other")).to.deep.equal({ tools: [] });
    expect((await list("lab", "lab")).tools.map(({ name }) => name)).to.deep.equal(["lab.gate"]);
  });

  it("ignores a malformed request and keeps serving", async () => {
    const tool = gatedTool();
    tool.open();
    await using _ = await serve(tool);
    const wrong = await fixture.bus.connection
      .request(SUBJECTS.toolsCall, "not a call", { timeout: 200 })
      .catch((error: unknown) => error);
    expect(wrong).to.be.an("error");
    expect(await ask(newCall())).to.include({ kind: "result" });
  });

  it("records a call and its result in the audit log", async () => {
    const tool = gatedTool();
    tool.open();
    await using _ = await serve(tool);
    const call = newCall();
    expect(await ask(call)).to.include({ kind: "result" });
    const sql = `SELECT subject, via, action, session_id, result, detail ->> 'tool' AS tool FROM audit_log
                 WHERE detail ->> 'call_id' = $1`;
    expect(await fixture.db.query(sql, [call.call_id])).to.deep.equal([
      {
        subject: call.execution_id,
        via: "agent",
        action: "tool.call",
        session_id: call.session_id,
        result: "completed",
        tool: "lab.gate",
      },
    ]);
  });

  it("answers busy over the limit of concurrent calls", async () => {
    const tool = gatedTool();
    await using _ = await serve(tool, 1);
    const first = ask(newCall());
    await until("the first call runs", () => tool.running() === 1);
    expect(await ask(newCall())).to.include({ kind: "busy" });
    tool.open();
    expect(await first).to.include({ kind: "result" });
    expect(await ask(newCall())).to.include({ kind: "result" });
  });

  it("finishes running calls when it is disposed, and accepts no new ones", async () => {
    const tool = gatedTool();
    const served = await serve(tool);
    const call = newCall();
    const running = ask(call);
    await until("the call runs", () => tool.running() === 1);
    const disposed = served[Symbol.asyncDispose]();
    await served.bus.connection.flush();
    const refused = await ask(newCall()).catch((error: unknown) => error);
    expect(refused).to.include({ code: "no_responders" });
    tool.open();
    await disposed;
    expect(await running).to.include({ kind: "result", content: "opened" });
    expect(await fixture.row(call.call_id)).to.include({ state: "completed" });
  });
});

describe("the tool-runner's configuration", () => {
  it("requires the addresses of Postgres and NATS", async () => {
    const missing = async (env: Record<string, string>): Promise<unknown> =>
      loadToolRunnerConfig({ CONFIG_DIR: "/nowhere", ...env }).catch((error: unknown) => error);
    expect(await missing({}))
      .to.have.property("message")
      .that.contains("DATABASE_URL is not set");
    const DATABASE_URL = "postgres://a/b";
    expect(await missing({ DATABASE_URL }))
      .to.have.property("message")
      .that.contains("NATS_URL is not set");
    expect(
      await loadToolRunnerConfig({ CONFIG_DIR: "/nowhere", DATABASE_URL, NATS_URL: "nats://a:1" }),
    ).to.have.nested.property("health.port", 8093);
  });
});
