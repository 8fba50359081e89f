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

describe("the connection to an older server over HTTP", () => {
  const handshakes = async (answers: Parameters<typeof startHttpServer>[1]) => {
    await using server = await startHttpServer("legacy", answers);
    await using servers = new McpServers({ settings: [settingsOf(httpAt(server.url))], env });
    await servers.list(["lab"], { waitMs: 10_000 });
    const call = { server: "lab", tool: "echo", callId: "c", args: {}, signal };
    for (const executionId of ["e1", "e2"]) await callTool(servers, { ...call, executionId });
    return server.seen.filter((request) => request === "initialize").length;
  };
  const initialize: Answer = (_request, response, id) => {
    const result = {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "test", version: "1" },
    };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  };

  it("is shared by all executions if the server gives no session", async () => {
    expect(await handshakes({ initialize })).to.equal(1);
  });

  it("is one for each execution, beside that for lists, if it does", async () => {
    expect(await handshakes({})).to.equal(3);
  });
});
