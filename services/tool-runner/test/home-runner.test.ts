import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { env } from "node:process";
import { expect } from "chai";
import { request } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import {
  toolCallReplyCodec,
  toolCallRequestCodec,
  toolReleaseCodec,
  type ToolCallReply,
  type ToolCallRequest,
} from "#shared/contracts/tool-call.ts";
import { toolListReplyCodec, toolListRequestCodec } from "#shared/contracts/tool-list.ts";
import { listen } from "#shared/service/listen.ts";
import { toolCallRequest } from "../../../test/support/tool-call-request.ts";
import { ToolFixture, type ClaimedSession } from "../../../test/support/tool-fixture.ts";
import { until } from "../../../test/support/until.ts";
import { McpServers } from "../mcp/mcp-servers.ts";
import { startHttpServer } from "../mcp/test/http-server.ts";
import { hostile, httpAt, isRunning, settingsOf } from "../mcp/test/server-fixture.ts";
import { serveInProcess } from "./serve-in-process.ts";
import { untilListed } from "./until-listed.ts";

const CONTRACT = { request: toolCallRequestCodec, reply: toolCallReplyCodec };

/** Takes DELETE requests, and answers as the test says. */
async function cleanupServer() {
  const seen: string[] = [];
  const answer = { status: 500 };
  const server = createServer((incoming, response) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    response.writeHead(answer.status).end();
  });
  await listen(server, { host: "127.0.0.1", port: 0 });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    seen,
    answer,
    url: `http://127.0.0.1:${port}/sessions/{{.SESSION_ID}}`,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe("the runner that has an execution's connections", () => {
  const resources = new AsyncDisposableStack();
  let fixture: ToolFixture;
  let session: ClaimedSession;

  before(async () => {
    fixture = resources.use(await ToolFixture.start({}));
  });
  beforeEach(async () => {
    session = await fixture.session({ mcp_servers: ["lab"] });
  });
  after(async () => resources.disposeAsync());

  const callOf = (name: string): ToolCallRequest => toolCallRequest(session, name, { arguments: "{}" });
  const ask = async (call: ToolCallRequest, subject: string = SUBJECTS.toolsCall): Promise<ToolCallReply> =>
    request(fixture.bus, subject, CONTRACT, call, 30_000);
  const release = (): void => {
    const { sessionId: session_id, executionId: execution_id } = session;
    fixture.bus.connection.publish(
      SUBJECTS.toolsRelease,
      toolReleaseCodec.encode({ session_id, execution_id }),
    );
  };
  const pidOf = ({ answer }: ToolCallReply): number =>
    answer.kind === "result" ? Number(answer.content) : Number.NaN;
  const cleanups = async (): Promise<unknown> =>
    fixture.db.query(
      "SELECT server, ended_at IS NOT NULL AS ended, tries FROM mcp_cleanups WHERE execution_id = $1",
      [session.executionId],
    );

  it("is named in its replies, gets further calls, and ends the connections when its executor says so", async () => {
    const runnerId = randomUUID();
    await using servers = new McpServers({ settings: [settingsOf(hostile("pids"))], env });
    await untilListed(servers, "lab");
    await using _ = await serveInProcess(fixture, [], { servers, runnerId });
    const first = await ask(callOf("lab.pid"));
    expect(first).to.have.property("runner", runnerId);
    const second = await ask(callOf("lab.pid"), SUBJECTS.toolsCallOf(runnerId));
    expect(pidOf(second)).to.equal(pidOf(first));
    const unanswered = await ask(callOf("lab.pid"), SUBJECTS.toolsCallOf(randomUUID())).catch(
      (error: unknown) => error,
    );
    expect(unanswered).to.include({ code: "no_responders" });
    release();
    await until("its process is gone", () => !isRunning(pidOf(first)));
  });

  it("is not named where all executions share a connection", async () => {
    const lab = settingsOf(hostile("pids"), { isolation: "shared" });
    await using servers = new McpServers({ settings: [lab], env });
    await untilListed(servers, "lab");
    await using _ = await serveInProcess(fixture, [], { servers });
    expect(await ask(callOf("lab.pid"))).not.to.have.property("runner");
  });

  it("ends the connections of a session that no executor runs", async () => {
    await using servers = new McpServers({ settings: [settingsOf(hostile("pids"))], env });
    await untilListed(servers, "lab");
    await using _ = await serveInProcess(fixture, [], { servers, unusedFor: 0 });
    const pid = pidOf(await ask(callOf("lab.pid")));
    const again = pidOf(await ask(callOf("lab.pid")));
    expect(again).to.equal(pid);
    await fixture.db.query("UPDATE session_runtime SET lease_expires_at = now() WHERE session_id = $1", [
      session.sessionId,
    ]);
    await until("its process is gone", () => !isRunning(pid));
  });

  it("leaves a row by which any runner tells a server that the execution has ended, until it agrees", async () => {
    using cleanup = await cleanupServer();
    await using lab = await startHttpServer("legacy", {});
    const settings = [settingsOf(httpAt(lab.url, { sessionCleanupUrl: cleanup.url }))];
    {
      await using servers = new McpServers({ settings, env });
      await using _ = await serveInProcess(fixture, [], { servers });
      await untilListed(servers, "lab");
      await ask(callOf("lab.echo"));
      await ask(callOf("lab.echo"));
      expect(await cleanups()).to.deep.equal([{ server: "lab", ended: false, tries: 0 }]);
      release();
      await until("it was told", () => cleanup.seen.length > 0);
    }
    expect(cleanup.seen[0]).to.equal(`DELETE /sessions/${session.executionId}`);
    expect(await cleanups()).to.deep.equal([{ server: "lab", ended: true, tries: 1 }]);
    cleanup.answer.status = 404;
    await fixture.db.query("UPDATE mcp_cleanups SET due_at = now() WHERE execution_id = $1", [
      session.executionId,
    ]);
    await using others = new McpServers({ settings, env });
    await using _ = await serveInProcess(fixture, [], { servers: others });
    await until("the row is gone", async () => {
      const rows = await cleanups();
      return Array.isArray(rows) && rows.length === 0;
    });
    expect(cleanup.seen).to.have.length(2);
  });

  it("leaves it also when its session ends without a message", async () => {
    using cleanup = await cleanupServer();
    cleanup.answer.status = 204;
    await using lab = await startHttpServer("legacy", {});
    const settings = [settingsOf(httpAt(lab.url, { sessionCleanupUrl: cleanup.url }))];
    {
      await using servers = new McpServers({ settings, env });
      await using _ = await serveInProcess(fixture, [], { servers });
      await untilListed(servers, "lab");
      await ask(callOf("lab.echo"));
    }
    await fixture.db.query(
      "UPDATE alert_sessions SET status = 'completed', completed_at = now() WHERE session_id = $1",
      [session.sessionId],
    );
    await using others = new McpServers({ settings, env });
    await using _ = await serveInProcess(fixture, [], { servers: others });
    await until("it was told", () => cleanup.seen.length > 0);
  });

  for (const era of ["legacy", "modern"] as const) {
    it(`asks a server that wants the execution's id for its list, too, and tells it of the end, ${era} era`, async () => {
      using cleanup = await cleanupServer();
      cleanup.answer.status = 204;
      const ids = new Set<string>();
      const isAuthorized = (id: string) => id !== "" && ids.add(id).size > 0;
      await using lab = await startHttpServer(era, {}, { isAuthorized });
      const headers = { authorization: "{{.SESSION_ID}}" };
      const settings = [settingsOf(httpAt(lab.url, { headers, sessionCleanupUrl: cleanup.url }))];
      await using servers = new McpServers({ settings, env });
      servers.warm();
      await until("it has refused a request without an id", async () => {
        await servers.checkListed();
        return true;
      });
      await using _ = await serveInProcess(fixture, [], { servers });
      const { executionId: execution_id, sessionId: session_id } = session;
      const contract = { request: toolListRequestCodec, reply: toolListReplyCodec };
      const asked = { session_id, execution_id, server_ids: ["lab"] };
      const { tools } = await until("it is listed", async () => {
        const reply = await request(fixture.bus, SUBJECTS.toolsList, contract, asked, 10_000);
        return reply.tools.length > 0 && reply;
      });
      expect(tools.map(({ name }) => name)).to.deep.equal(["lab.echo"]);
      await ask(callOf("lab.echo"));
      expect([...ids]).to.deep.equal([execution_id]);
      expect(await cleanups()).to.deep.equal([{ server: "lab", ended: false, tries: 0 }]);
      release();
      await until("it was told", () => cleanup.seen.length > 0);
      expect(cleanup.seen[0]).to.equal(`DELETE /sessions/${execution_id}`);
    });
  }
});
