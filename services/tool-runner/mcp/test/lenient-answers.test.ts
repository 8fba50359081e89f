import { expect } from "chai";
import { McpServers } from "../mcp-servers.ts";
import { startHttpServer, type Answer } from "./http-server.ts";
import { callTool, httpAt, resultText, settingsOf } from "./server-fixture.ts";

const call = {
  server: "lab",
  callId: "c",
  executionId: "e",
  args: {},
  signal: new AbortController().signal,
};
const object = { type: "object" };

for (const era of ["legacy", "modern"] as const) {
  const start = async (answers: Record<string, object>) => {
    const give =
      (result: object): Answer =>
      (_request, response, id) =>
        server.respond(response, id, { ttlMs: 0, cacheScope: "private", ...result });
    const server = await startHttpServer(
      era,
      Object.fromEntries(Object.entries(answers).map(([name, result]) => [name, give(result)])),
    );
    const servers = new McpServers({ settings: [settingsOf(httpAt(server.url))], env: {} });
    const stack = new AsyncDisposableStack();
    stack.use(server);
    return Object.assign(stack, { servers: stack.use(servers) });
  };

  describe(`a listing with malformed tools, ${era} era`, () => {
    const listed = async (tools: readonly unknown[]) => {
      await using started = await start({ "tools/list": { tools } });
      const known = (await started.servers.list(["lab"], { waitMs: 60_000 })).get("lab");
      if (known?.kind !== "listed") throw new Error(`not listed: ${JSON.stringify(known)}`);
      return known;
    };

    it("keeps the good tools, and says which are left out and why", async () => {
      const { tools, leftOut } = await listed([
        { name: "good", inputSchema: object },
        { name: 5, inputSchema: "x" },
        { name: "text", inputSchema: { type: "string" } },
        { name: "bool", inputSchema: true },
        { name: "with space", inputSchema: object },
        null,
      ]);
      expect(tools.map(({ name }) => name)).to.deep.equal(["good"]);
      expect(leftOut).to.equal(
        'left out: tool 2 has no name; "text": its inputSchema has another type than "object"; ' +
          '"bool": its inputSchema is not an object; tool 6 is not an object; "with space": the protocol does not allow its name',
      );
    });

    it("accepts what can only mean one thing", async () => {
      const { tools, leftOut } = await listed([
        { name: "a", description: null, inputSchema: { properties: { p: { type: "string" } } } },
        { name: "b", annotations: { readOnlyHint: "yes", title: 5 }, icons: "none", outputSchema: 7 },
      ]);
      expect(leftOut).to.equal("");
      expect(tools.map(({ name, description, schema }) => ({ name, description, schema }))).to.deep.equal([
        { name: "a", description: "", schema: '{"type":"object","properties":{"p":{"type":"string"}}}' },
        { name: "b", description: "", schema: '{"type":"object"}' },
      ]);
    });

    it("offers the first of tools with the same name", async () => {
      const { tools, leftOut } = await listed([
        { name: "dup", description: "first", inputSchema: object },
        { name: "dup", description: "second", inputSchema: object },
      ]);
      expect(tools.map(({ description }) => description)).to.deep.equal(["first"]);
      expect(leftOut).to.equal('left out: "dup": listed more than once, and the first one is offered');
    });
  });

  describe(`what is invisible in a listing, ${era} era`, () => {
    it("does not reach a model", async () => {
      const hidden = "list\u200B pods\u001B[8m\u{E0049}\u202E";
      const schema = { type: "object", properties: { p: { type: "string", description: hidden } } };
      await using started = await start({
        "tools/list": { tools: [{ name: "a", title: hidden, description: hidden, inputSchema: schema }] },
      });
      const known = (await started.servers.list(["lab"], { waitMs: 60_000 })).get("lab");
      expect(known?.kind === "listed" && known.tools[0]).to.deep.include({
        title: "list pods",
        description: "list pods",
        schema: '{"type":"object","properties":{"p":{"type":"string","description":"list pods"}}}',
      });
    });
  });

  describe(`a result with parts that the protocol does not know, ${era} era`, () => {
    const textOf = async (result: object) => {
      await using started = await start({ odd: result });
      return resultText((await callTool(started.servers, { ...call, tool: "odd" })).result);
    };

    it("is read as far as it can be, and says what the others are", async () => {
      const text = { type: "text", text: "keep me" };
      const parts = [text, { type: "hologram", data: "x" }, { type: "note", text: "and me" }, { text: 5 }, 7];
      expect(await textOf({ content: parts })).to.equal(
        'keep me\n[a part of another kind: "hologram", not shown]\n' +
          '[a part of another kind: "note", not shown but for its text]\nand me\n' +
          '[a part of another kind: "without type", not shown but for its text]\n5\n[a part that is no content of the protocol, not shown]',
      );
      expect(
        await textOf({ content: [text, { type: "image", data: "no base64!", mimeType: "image/png" }] }),
      ).to.include("keep me\n[image: image/png");
    });

    it("is read although it is no list, or its structured content is no object", async () => {
      expect(await textOf({ content: "just a string" })).to.equal("just a string");
      expect(await textOf({ structuredContent: [1, 2] })).to.equal("[\n  1,\n  2\n]");
    });

    it("keeps that the tool reported an error", async () => {
      await using started = await start({ odd: { content: [{ type: "hologram" }], isError: true } });
      const { result } = await callTool(started.servers, { ...call, tool: "odd" });
      expect(result.isError).to.equal(true);
    });
  });
}
