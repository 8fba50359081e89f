import type { ServerResponse } from "node:http";
import { expect } from "chai";
import { startHttpServer } from "./http-server.ts";
import { failureOf, httpAt, serverOf, settingsOf } from "./server-fixture.ts";

const call = {
  callId: "c",
  executionId: "e",
  tool: "echo",
  args: {},
  signal: new AbortController().signal,
};
const read = { ...call, isRepeatable: true };

const answer = (status: number, body: string) => (_request: unknown, response: ServerResponse) => {
  response.writeHead(status, { "content-type": body.startsWith("{") ? "application/json" : "text/plain" });
  response.end(body);
};
const refusal = (message: string, id: unknown, code = -32_000) =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });

const serverAt = (url: string) => serverOf(settingsOf(httpAt(url)));

describe("a session that a server forgets", () => {
  it("is opened anew after status 404, and a writing call sent again", async () => {
    await using server = await startHttpServer("legacy", {});
    await using client = serverAt(server.url);
    await client.call(call);
    server.forgetSessions();
    expect(await client.call(call)).to.include({ generation: 2, stateLost: true });
    expect(server.seen.filter((line) => line === "tools/call echo")).to.have.length(2);
  });

  for (const [status, body] of [
    [400, refusal("Bad Request: No valid session ID provided", null)],
    [400, refusal("Bad Request: Server not initialized", "server-error")],
    [400, refusal("Session not found", "$ID")],
    [400, "Bad Request: No valid session ID provided"],
    [400, '{"error":"Invalid or expired session"}'],
    [410, ""],
    [200, refusal("Session not found", "$ID", -32_001)],
    [200, refusal("Session terminated", "$ID", -32_600)],
  ] as const) {
    it(`is opened anew after status ${status} with ${body}; only a reading call is sent again`, async () => {
      const refuseSession = (response: ServerResponse, id: unknown) =>
        answer(status, body.replaceAll('"$ID"', JSON.stringify(id ?? null)))(null, response);
      await using server = await startHttpServer("legacy", {}, { refuseSession });
      await using client = serverAt(server.url);
      await client.call(call);
      server.forgetSessions();
      expect(await client.call(read)).to.include({ generation: 2, stateLost: true });
      server.forgetSessions();
      expect(await failureOf(client.call(call))).to.include({ sent: "maybe" });
      expect(await client.call(call)).to.include({ generation: 3, stateLost: true });
    });
  }
});

describe("a call that runs and is answered as if its session were gone", () => {
  const bodies = [
    "Bad Request: rollout restarted, but closing the database session failed",
    '{"error":"applied; audit session could not be written"}',
    refusal("row updated, session closed", null),
    refusal("Bad Request: Server not initialized", null),
    "Bad Request: No valid session ID provided",
  ];
  for (const [status, body] of [
    ...bodies.map((text) => [400, text] as const),
    [404, "pod not found"] as const,
  ]) {
    it(`is not repeated after status ${status} with ${body}`, async () => {
      await using server = await startHttpServer("legacy", { echo: answer(status, body) });
      await using client = serverAt(server.url);
      for (const sent of [1, 2]) {
        expect(await failureOf(client.call(call))).to.include({ sent: "maybe", code: status });
        expect(server.seen.filter((line) => line === "tools/call echo")).to.have.length(sent);
      }
    });
  }

  it("is sent once more after status 404 on an older session, whatever the answer", async () => {
    await using server = await startHttpServer("legacy", { gone: answer(404, "pod not found") });
    await using client = serverAt(server.url);
    await client.call(call);
    expect(await failureOf(client.call({ ...call, tool: "gone" }))).to.include({ sent: "maybe" });
    expect(server.seen.filter((line) => line === "tools/call gone")).to.have.length(2);
  });
});
