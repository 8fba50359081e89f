import { expect } from "chai";
import { McpServers } from "../mcp-servers.ts";
import type { ServerSettings } from "../server-settings.ts";
import { startHttpServer, type Answer } from "./http-server.ts";
import { hostile, httpAt, settingsOf } from "./server-fixture.ts";

async function listed(settings: ServerSettings) {
  await using servers = new McpServers({ settings: [settings], env: {} });
  const known = (await servers.list(["lab"], { waitMs: 60_000 })).get("lab");
  return known?.kind === "listed" ? known : undefined;
}

describe("the pages of a list of tools", () => {
  it("end where a program repeats a cursor", async () => {
    const known = await listed(settingsOf(hostile("repeating-pages")));
    expect(known?.tools.map(({ name }) => name)).to.deep.equal(["again", "first"]);
  });

  for (const era of ["legacy", "modern"] as const) {
    const startPaged = async (next: (page: number) => string) => {
      let pages = 0;
      const list: Answer = (_request, response, id) => {
        pages += 1;
        const tools = [{ name: `t${pages}`, inputSchema: { type: "object" } }];
        server.respond(response, id, { tools, nextCursor: next(pages), ttlMs: 0, cacheScope: "private" });
      };
      const server = await startHttpServer(era, { "tools/list": list });
      return server;
    };

    it(`end where a server over HTTP repeats a cursor, ${era} era`, async () => {
      await using server = await startPaged((page) => `page ${page % 2}`);
      const known = await listed(settingsOf(httpAt(server.url)));
      expect(known?.tools).to.have.length(3);
      expect(known?.leftOut).to.equal("");
    });

    it(`end at the limit where a server over HTTP has ever more, ${era} era`, async () => {
      await using server = await startPaged((page) => `page ${page}`);
      const known = await listed(settingsOf(httpAt(server.url)));
      expect(known?.tools).to.have.length(64);
      expect(known?.leftOut).to.contain("64 pages");
    });
  }
});
