import { spawn } from "node:child_process";
import type { ServerResponse } from "node:http";
import { env as ownEnvironment, execPath } from "node:process";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { until } from "../../../../test/support/until.ts";
import { NOTHING_LISTENS } from "../../../../test/support/nothing-listens.ts";
import { testPort } from "../../../../test/support/test-port.ts";
import type { McpServer, ServerCall } from "../mcp-server.ts";
import { startHttpServer, type Answer } from "./http-server.ts";
import { failureOf, httpAt, resultText, serverOf, settingsOf } from "./server-fixture.ts";

const never = new AbortController().signal;
const SSE_HEADERS = { "content-type": "text/event-stream" };

function callOf(tool: string, more: Partial<ServerCall> = {}): ServerCall {
  return {
    callId: `id of ${tool}`,
    executionId: "e1",
    tool,
    args: {},
    signal: never,
    ...more,
  };
}

for (const era of ["legacy", "modern"] as const) {
  describe(`a connection over HTTP, ${era} era`, () => {
    const textOf = async (client: McpServer, call: ServerCall) =>
      resultText((await client.call(call)).result);

    it("negotiates the era and calls a tool", async () => {
      await using server = await startHttpServer(era, {});
      await using client = serverOf(settingsOf(httpAt(server.url)));
      expect(await textOf(client, callOf("echo"))).to.equal("echo");
      expect(client.connections.era).to.equal(era);
    });

    for (const [what, answer] of [
      ["ends without an answer", (response) => response.writeHead(200, SSE_HEADERS).end()],
      [
        "is cut",
        (response) => response.writeHead(200, SSE_HEADERS).write(": wait\n\n", () => response.destroy()),
      ],
      [
        "is JSON cut in the middle",
        (response) =>
          response
            .writeHead(200, { "content-type": "application/json", "content-length": "99" })
            .write("{", () => response.destroy()),
      ],
      ["is a reset", (response) => response.destroy()],
    ] as const satisfies readonly (readonly [string, (response: ServerResponse) => void])[]) {
      it(`ends a call at once whose response ${what}, as perhaps begun`, async () => {
        await using server = await startHttpServer(era, { cut: (_request, response) => answer(response) });
        await using client = serverOf(settingsOf(httpAt(server.url)));
        expect(await failureOf(client.call(callOf("cut")))).to.include({
          kind: "closed",
          sent: "maybe",
        });
        expect(server.seen.filter((line) => line === "tools/call cut")).to.have.length(1);
      });
    }

    it("closes the response of a cancelled call", async () => {
      await using server = await startHttpServer(era, {
        hang: (_request, response) => response.writeHead(200, SSE_HEADERS).write(": wait\n\n"),
      });
      await using client = serverOf(settingsOf(httpAt(server.url)));
      const cancel = new AbortController();
      const hanging = failureOf(client.call(callOf("hang", { signal: cancel.signal })));
      await until("the server has the call", () => server.seen.includes("tools/call hang"));
      cancel.abort(new Error("no longer wanted"));
      expect(await hanging).to.include({ kind: "aborted", sent: "maybe" });
      await until("the response is closed", () => server.seen.includes("closed hang"));
      if (era === "legacy") expect(server.seen).to.include("notifications/cancelled");
    });

    it("ends a call without sign of life, and tells what may have begun from what has not", async () => {
      await using server = await startHttpServer(era, {
        hang: (_request, response) => response.writeHead(200, SSE_HEADERS).write(": wait\n\n"),
        broken: (_request, response) => response.writeHead(500).end(),
        moved: (_request, response) => response.writeHead(307, { location: "/elsewhere" }).end(),
        denied: (_request, response) => response.writeHead(403).end(),
      });
      await using client = serverOf(settingsOf(httpAt(server.url)));
      await using impatient = serverOf(settingsOf(httpAt(server.url), { callTimeoutMs: 300 }));
      const failures = {
        hang: await failureOf(impatient.call(callOf("hang"))),
        broken: await failureOf(client.call(callOf("broken"))),
        moved: await failureOf(client.call(callOf("moved"))),
        denied: await failureOf(client.call(callOf("denied"))),
      };
      expect(failures.hang).to.include({ kind: "timeout", sent: "maybe" });
      expect(failures.broken).to.include({ kind: "http_status", sent: "maybe", code: 500 });
      expect(failures.moved).to.include({ kind: "http_status", sent: "no", code: 307 });
      expect(failures.denied).to.include({ kind: "unauthorized", sent: "no" });
    });

    it("waits as long as a busy server asks and then sends the call again", async () => {
      let refusals = 0;
      await using server = await startHttpServer(era, {
        busy: (_request, response, id) => {
          refusals += 1;
          if (refusals === 1) response.writeHead(429, { "retry-after": "0" }).end();
          else {
            response.writeHead(200, { "content-type": "application/json" });
            response.end(
              JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", content: [] } }),
            );
          }
        },
      });
      await using client = serverOf(settingsOf(httpAt(server.url)));
      expect(await textOf(client, callOf("busy"))).to.equal("(empty result)");
      expect(refusals).to.equal(2);
    });

    it("does not wait longer for a busy server than for a silent one", async () => {
      await using server = await startHttpServer(era, {
        busy: (_request, response) => response.writeHead(429, { "retry-after": "3600" }).end(),
      });
      await using client = serverOf(settingsOf(httpAt(server.url)));
      const failure = await failureOf(client.call(callOf("busy")));
      expect(failure).to.include({ kind: "rate_limited", sent: "no", retryAfterMs: 3_600_000 });
      expect(server.seen.filter((line) => line === "tools/call busy")).to.have.length(1);
    });

    it("follows no redirect when it connects, either", async () => {
      await using elsewhere = await startHttpServer(era, {});
      const moved: Answer = (_request, response) =>
        response.writeHead(308, { location: elsewhere.url }).end();
      await using server = await startHttpServer(era, { initialize: moved, "server/discover": moved });
      await using client = serverOf(settingsOf(httpAt(server.url, { bearerToken: "secret" })));
      const failure = await failureOf(client.call(callOf("echo")));
      expect(failure).to.include({ kind: "unreachable", sent: "no" });
      expect(failure.message).to.contain(`it redirects to ${elsewhere.url}`);
      expect(elsewhere.seen).to.deep.equal([]);
    });

    it("bounds an answer", async () => {
      await using server = await startHttpServer(era, {
        endless: (_request, response) => {
          response.writeHead(200, SSE_HEADERS);
          const more = () => void (response.writable && response.write("data: y".repeat(100_000), more));
          more();
        },
      });
      await using client = serverOf(settingsOf(httpAt(server.url), { maxResultBytes: 1_024 }));
      expect(await failureOf(client.call(callOf("endless")))).to.include({ kind: "too_large" });
    });
  });
}

describe("a connection over HTTP", () => {
  it("opens a new session when the server has forgotten the old one, and says that its state is lost", async () => {
    await using server = await startHttpServer("legacy", {});
    await using client = serverOf(settingsOf(httpAt(server.url)));
    let announced = 0;
    const call = callOf("echo", {
      beforeSend: () => {
        announced += 1;
        return Promise.resolve();
      },
    });
    expect(await client.call(call)).to.include({ generation: 1, stateLost: false });
    server.forgetSessions();
    expect(await client.call(call)).to.include({ generation: 2, stateLost: true });
    expect(await client.call(call)).to.include({ generation: 2, stateLost: false });
    expect(announced).to.equal(3);
  });

  it("opens one new session for all calls that find the old one forgotten", async () => {
    await using server = await startHttpServer("legacy", {});
    await using client = serverOf(settingsOf(httpAt(server.url)));
    await client.call(callOf("echo"));
    server.forgetSessions();
    const calls = ["a", "b", "c", "d"].map((id) => client.call(callOf("echo", { callId: id })));
    expect((await Promise.all(calls)).map(({ generation }) => generation)).to.deep.equal([2, 2, 2, 2]);
    expect(server.seen.filter((line) => line === "initialize")).to.have.length(2);
    expect(server.seen.filter((line) => line === "tools/call echo")).to.have.length(5);
  });

  it("ends a call at once whose server asks for input", async () => {
    await using server = await startHttpServer("modern", {
      ask: (_request, response, id) =>
        server.respond(response, id, {
          resultType: "input_required",
          inputRequests: {
            name: {
              method: "elicitation/create",
              params: { message: "Who?", requestedSchema: { type: "object", properties: {} } },
            },
          },
        }),
    });
    await using client = serverOf(settingsOf(httpAt(server.url)));
    expect(await failureOf(client.call(callOf("ask")))).to.include({
      kind: "input_required",
      sent: "answered",
    });
  });

  it("sends nothing if the step before the call fails", async () => {
    await using server = await startHttpServer("legacy", {});
    await using client = serverOf(settingsOf(httpAt(server.url)));
    const refused = client.call(
      callOf("echo", { beforeSend: () => Promise.reject(new Error("not mine any more")) }),
    );
    expect(await refused.catch((error: unknown) => String(error))).to.contain("not mine any more");
    expect(server.seen).not.to.include("tools/call echo");
  });

  it("says that nothing was sent to a server that is not there, and stops trying for a while", async () => {
    await using client = serverOf(settingsOf(httpAt(NOTHING_LISTENS)));
    for (let i = 0; i < 3; i += 1) {
      expect(await failureOf(client.connections.lend(callOf("echo"), never))).to.include({
        kind: "unreachable",
        sent: "no",
      });
    }
    expect(await failureOf(client.connections.lend(callOf("echo"), never))).to.include({
      kind: "circuit_open",
      sent: "no",
    });
  });

  for (const type of ["http", "sse"] as const) {
    it(`calls a server by others over ${type}, with progress and cancel`, async () => {
      const main = fileURLToPath(
        import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
      );
      const port = await testPort();
      const mode = type === "http" ? "streamableHttp" : "sse";
      const child = spawn(execPath, [main, mode], {
        env: { ...ownEnvironment, PORT: String(port) },
        stdio: "ignore",
      });
      try {
        const path = type === "http" ? "mcp" : "sse";
        const settings = settingsOf(httpAt(`http://127.0.0.1:${port}/${path}`, { type }));
        await using client = serverOf(settings);
        await until("the server listens", async () => {
          const response = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(1_000) });
          return response.status > 0;
        });
        const { result } = await client.call(callOf("echo", { args: { message: "hello" } }));
        expect(resultText(result)).to.contain("hello");
        const steps: number[] = [];
        const long = callOf("trigger-long-running-operation", {
          args: { duration: 1, steps: 4 },
          onProgress: ({ progress }) => steps.push(progress),
        });
        await client.call(long);
        // The library may drop one that arrives together with the result.
        expect(steps.slice(0, 3)).to.deep.equal([1, 2, 3]);
        const cut = failureOf(client.call({ ...long, callId: "cut", args: { duration: 600, steps: 600 } }));
        await until("it makes progress", () => steps.length > 5);
        child.kill("SIGKILL");
        expect(await cut).to.include({ kind: "closed", sent: "maybe" });
      } finally {
        child.kill("SIGKILL");
      }
    });
  }
});
