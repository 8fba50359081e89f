import { expect } from "chai";
import { McpServers } from "../mcp-servers.ts";
import { startHttpServer } from "./http-server.ts";
import { callTool, httpAt, resultText, settingsOf } from "./server-fixture.ts";

const BYTES = 10_000_000;
const { signal } = new AbortController();

for (const era of ["legacy", "modern"] as const) {
  describe(`an answer of 10 MB over HTTP, ${era} era`, () => {
    for (const type of ["application/json", "text/event-stream"]) {
      it(`is taken in one line of ${type}`, async () => {
        await using server = await startHttpServer(era, {
          big: (_request, response, id) => {
            const content = [{ type: "text", text: "x".repeat(BYTES) }];
            const message = JSON.stringify({
              jsonrpc: "2.0",
              id,
              result: { resultType: "complete", content },
            });
            response.writeHead(200, { "content-type": type });
            response.end(type === "application/json" ? message : `data: ${message}\n\n`);
          },
        });
        await using servers = new McpServers({ settings: [settingsOf(httpAt(server.url))], env: {} });
        const call = { server: "lab", tool: "big", callId: "c", executionId: "e", args: {}, signal };
        const { result } = await callTool(servers, call);
        expect(resultText(result)).to.have.length(BYTES);
      });
    }
  });
}
