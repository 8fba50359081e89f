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
  it("leave out a tool that is too large or nested too deep, and have the others", async () => {
    const nested = (levels: number) => {
      let schema: object = { type: "object" };
      // Two levels each, beside the outermost one.
      for (let level = 1; level < levels; level += 2) schema = { properties: { a: schema } };
      return schema;
    };
    const tools = [
      { name: "large", description: "x".repeat(512 * 1024) },
      { name: "deep", inputSchema: nested(103) },
      { name: "nested", inputSchema: nested(99) },
      { name: "other" },
    ];
    const list: Answer = (_request, response, id) => server.respond(response, id, { tools });
    await using server = await startHttpServer("legacy", { "tools/list": list });
    const known = await listed(settingsOf(httpAt(server.url)));
    expect(known?.tools.map(({ name }) => name)).to.deep.equal(["nested", "other"]);
    expect(known?.leftOut).to.equal(
      'left out: "large": its definition is too large; "deep": its inputSchema has more than 100 levels',
    );
  });

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
