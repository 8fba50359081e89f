import { createServer, type Server, type ServerResponse } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { listen } from "#shared/service/listen.ts";
import { serverAgent, serverFetch } from "../http/server-fetch.ts";
import { startHttpServer } from "./http-server.ts";
import { httpAt, resultText, serverOf, settingsOf } from "./server-fixture.ts";

const { signal } = new AbortController();

describe("the requests to a server over HTTP", () => {
  it("of several executions use the same sockets, with the headers of each", async () => {
    const ports = new Set<number | undefined>();
    const sessions: unknown[] = [];
    await using server = await startHttpServer("legacy", {
      who: (request, response, id) => {
        ports.add(request.socket.remotePort);
        sessions.push(request.headers["x-execution"]);
        server.respond(response, id, { content: [{ type: "text", text: "you" }] });
      },
    });
    const settings = settingsOf(httpAt(server.url, { headers: { "X-Execution": "{{.SESSION_ID}}" } }));
    await using client = serverOf(settings);
    for (const executionId of ["e1", "e2", "e3", "e4", "e5", "e6"]) {
      const call = { tool: "who", callId: executionId, executionId, args: {}, signal };
      expect(resultText((await client.call(call)).result)).to.equal("you");
      await client.connections.release(executionId);
    }
    expect(sessions).to.deep.equal(["e1", "e2", "e3", "e4", "e5", "e6"]);
    expect(ports.size).to.be.below(sessions.length);
  });

  for (const [encoding, compressed] of [
    ["gzip", gzipSync("an answer")],
    ["deflate", deflateSync("an answer")],
    ["br", brotliCompressSync("an answer")],
  ] as const) {
    it(`understand an answer in ${encoding}`, async () => {
      await using server = await startPlainServer((response) =>
        response.writeHead(200, { "content-encoding": encoding }).end(compressed),
      );
      const settings = httpAt(server.url);
      const agent = serverAgent(settingsOf(settings));
      try {
        const fetch = serverFetch({ settings, agent, maxBytes: 1_000, onEventStreamEnd: () => undefined });
        expect(await (await fetch(server.url, { signal })).text()).to.equal("an answer");
      } finally {
        await agent.destroy();
      }
    });
  }
});

async function startPlainServer(
  answer: (response: ServerResponse) => void,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const server: Server = createServer((_request, response) => answer(response));
  await listen(server, { host: "127.0.0.1", port: 0 });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
