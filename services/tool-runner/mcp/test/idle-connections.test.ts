import { env } from "node:process";
import { expect } from "chai";
import { until } from "../../../../test/support/until.ts";
import { McpServers } from "../mcp-servers.ts";
import { startHttpServer } from "./http-server.ts";
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
