import { env } from "node:process";
import { expect } from "chai";
import { until } from "../../../../test/support/until.ts";
import { McpServers } from "../mcp-servers.ts";
import { startHttpServer, type Answer } from "./http-server.ts";
import { callTool, hostile, httpAt, isRunning, resultText, settingsOf } from "./server-fixture.ts";

const { signal } = new AbortController();

describe("a connection that no call uses", () => {
  const call = { tool: "pid", callId: "c", executionId: "e", args: {}, signal };

  it("is closed after the idle timeout, with its process or session; the next call says so", async () => {
    await using server = await startHttpServer("legacy", {});
    await using servers = new McpServers({
      settings: [
        settingsOf(hostile(), { id: "program", idleTimeoutMs: 100 }),
        settingsOf(httpAt(server.url), { id: "remote", idleTimeoutMs: 100 }),
        settingsOf(hostile(), { id: "kept" }),
      ],
      env,
    });
    const [first, kept] = [
      await callTool(servers, { ...call, server: "program" }),
      await callTool(servers, { ...call, server: "kept" }),
    ];
    await callTool(servers, { ...call, server: "remote" });
    await until("the process is gone", () => !isRunning(Number(resultText(first.result))));
    await until("the session is ended", () => server.seen.includes("DELETE /mcp"));
    for (const id of ["program", "remote"]) {
      expect(await callTool(servers, { ...call, server: id })).to.include({ generation: 2, stateLost: true });
    }
    expect(isRunning(Number(resultText(kept.result)))).to.equal(true);
  });
});

describe("the connection to a newer server over HTTP", () => {
  it("stays open when the server refuses a call", async () => {
    const echo: Answer = (_request, response) => response.writeHead(400).end();
    await using server = await startHttpServer("modern", { echo });
    await using servers = new McpServers({ settings: [settingsOf(httpAt(server.url))], env });
    await servers.list(["lab"], { waitMs: 10_000 });
    const call = { server: "lab", tool: "echo", callId: "c", args: {}, signal };
    for (const executionId of ["e1", "e2"]) {
      const refused = await callTool(servers, { ...call, executionId }).catch((error: unknown) => error);
      expect(refused).to.include({ kind: "http_status" });
    }
    expect(server.seen.filter((request) => request === "server/discover")).to.have.length(1);
  });
});

describe("the connection to an older server over HTTP", () => {
  const initialize: Answer = (_request, response, id) => {
    const serverInfo = { name: "test", version: "1" };
    const result = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  };

  /** A server that gives sessions or none, as `answers` say, and the sessions of its calls. */
  const start = async (answers: Record<string, Answer>) => {
    const resources = new AsyncDisposableStack();
    const sessions: unknown[] = [];
    const server = resources.use(
      await startHttpServer("legacy", {
        ...answers,
        get initialize() {
          return answers["initialize"];
        },
        echo: (request, response, id) => {
          const session = request.headers["mcp-session-id"];
          sessions.push(session);
          if (session === undefined && answers["initialize"] === undefined) response.writeHead(400).end();
          else server.respond(response, id, { content: [] });
        },
      }),
    );
    const servers = resources.use(new McpServers({ settings: [settingsOf(httpAt(server.url))], env }));
    await servers.list(["lab"], { waitMs: 10_000 });
    const call = async (executionId: string) =>
      callTool(servers, { server: "lab", tool: "echo", callId: "c", args: {}, signal, executionId });
    const handshakes = () => server.seen.filter((request) => request === "initialize").length;
    return { call, handshakes, sessions, [Symbol.asyncDispose]: () => resources.disposeAsync() };
  };

  it("is shared by all executions if the server gives no session", async () => {
    await using server = await start({ initialize });
    for (const execution of ["e1", "e2"]) await server.call(execution);
    expect(server.handshakes()).to.equal(1);
  });

  it("is one for each execution, beside that for lists, if it does", async () => {
    await using server = await start({});
    for (const execution of ["e1", "e2"]) await server.call(execution);
    expect(server.handshakes()).to.equal(3);
    expect(new Set(server.sessions)).to.have.property("size", 2);
  });

  it("stays that of an execution, and no other gets its session, when the server gives none any more", async () => {
    const answers: Record<string, Answer> = {};
    await using server = await start(answers);
    await server.call("e1");
    answers["initialize"] = initialize;
    for (const execution of ["e2", "e1", "e3"]) await server.call(execution);
    const [first] = server.sessions;
    expect(server.sessions).to.deep.equal([first, undefined, first, undefined]);
  });

  it("is opened anew, and no longer shared, once the server asks for a session", async () => {
    const answers: Record<string, Answer> = { initialize };
    await using server = await start(answers);
    await server.call("e1");
    Reflect.deleteProperty(answers, "initialize");
    expect(await server.call("e2").catch((error: unknown) => error)).to.include({ kind: "http_status" });
    for (const execution of ["e2", "e1"]) await server.call(execution);
    const [, , second, last] = server.sessions;
    expect([typeof second, typeof last, second === last]).to.deep.equal(["string", "string", false]);
  });
});
