import { expect } from "chai";
import { parseExactJson } from "#shared/exact-json.ts";
import { McpServers } from "../mcp-servers.ts";
import { callTool, findServer, resultText, settingsOf } from "./server-fixture.ts";
import { RAW_TRANSPORTS, startRawServer, type RawAnswers } from "./servers/raw-server.ts";

const { signal } = new AbortController();
const IDS = { executionId: "e", callId: "c" };
const result = (members: string, id = "$ID") => `{"jsonrpc":"2.0","id":${id},"result":${members}}`;
const tools = (...list: readonly string[]) =>
  result(`{"tools":[${list.join()}],"nextCursor":null,"_meta":null}`);
const handshake = (members: string) => result(`{"protocolVersion":"2025-06-18",${members}}`);

for (const transport of RAW_TRANSPORTS) {
  describe(`what a server writes beside the protocol, over ${transport}`, () => {
    const start = async (answers: RawAnswers) => {
      const stack = new AsyncDisposableStack();
      const server = stack.use(await startRawServer(transport, answers));
      const servers = stack.use(new McpServers({ settings: [settingsOf(server.transport)], env: {} }));
      const listed = async () => {
        const known = (await servers.list(["lab"], { waitMs: 60_000 })).get("lab");
        if (known?.kind !== "listed") throw new Error(`not listed: ${JSON.stringify(known)}`);
        return known;
      };
      const call = async (tool = "echo") =>
        (await callTool(servers, { ...IDS, server: "lab", tool, args: {}, signal })).result;
      return Object.assign(stack, { servers, listed, call });
    };

    for (const members of [
      '"capabilities":null,"serverInfo":null,"instructions":null,"_meta":null',
      '"capabilities":{"tools":null,"prompts":true,"logging":[]},"serverInfo":{"name":"x","version":null,"title":null}',
      '"capabilities":[],"serverInfo":{}',
      '"capabilities":{"tools":{"listChanged":null}},"serverInfo":[],"instructions":5',
    ]) {
      it(`takes a handshake with ${members}`, async () => {
        await using server = await start({ initialize: handshake(members) });
        expect((await server.listed()).tools.map(({ name }) => name)).to.deep.equal(["echo"]);
      });
    }

    it("keeps the tools whose optional members are empty, and leaves out only what is none", async () => {
      const odd = [
        '{"name":"a","inputSchema":{"type":"object","properties":null}}',
        '{"name":"b","inputSchema":{"type":"object","properties":{"x":null,"y":{"type":"string","default":null,"enum":null}},"required":null}}',
        '{"name":"c","description":null,"title":null,"annotations":null,"outputSchema":null,"_meta":null,"icons":null}',
        '{"name":"d","inputSchema":null}',
        '{"name":"e","inputSchema":[],"annotations":[],"title":5}',
        '{"name":"f","inputSchema":{"type":null,"properties":[]}}',
        '{"name":null}',
      ];
      await using server = await start({ "tools/list": tools(...odd) });
      const { tools: found, leftOut } = await server.listed();
      expect(found.map(({ name, schema }) => `${name} ${schema}`)).to.deep.equal([
        'a {"type":"object"}',
        'b {"type":"object","properties":{"x":{},"y":{"type":"string","default":null}}}',
        'c {"type":"object"}',
        'd {"type":"object"}',
        'e {"type":"object"}',
        'f {"type":"object","properties":{}}',
      ]);
      expect(leftOut).to.equal("left out: tool 7 has no name");
    });

    it("reads a list without tools, and one whose cursor is empty", async () => {
      for (const members of ['{"tools":null}', '{"tools":[],"nextCursor":""}']) {
        await using server = await start({ "tools/list": result(members) });
        expect((await server.listed()).tools).to.deep.equal([]);
      }
    });

    it("reads results with empty members", async () => {
      const cases = {
        text: [
          '{"content":[{"type":"text","text":"a","annotations":null,"_meta":null}],"structuredContent":null,"isError":null,"_meta":null}',
          "a",
        ],
        empty: ['{"content":null,"isError":null,"resultType":null}', "(empty result)"],
        structured: ['{"content":null,"structuredContent":{"a":null}}', '{\n  "a": null\n}'],
        link: ['{"content":[{"type":"resource_link","uri":"u","name":null,"size":null}]}', "[resource u]"],
      } as const;
      const answers = Object.fromEntries(
        Object.entries(cases).map(([name, [members]]) => [name, result(members)]),
      );
      await using server = await start(answers);
      for (const [name, [, text]] of Object.entries(cases)) {
        expect(resultText(await server.call(name)), name).to.equal(text);
      }
    });

    it("reads an answer with an error of null, an id as text, and members that the protocol does not know", async () => {
      const text = '{"content":[{"type":"text","text":"here"}]}';
      await using server = await start({
        initialize: handshake('"capabilities":{},"serverInfo":{}').replace("$ID", '"$ID"'),
        "tools/list": tools('{"name":"echo"}').replace("$ID", '"$ID"'),
        echo: result(text, '"$ID"').replace('"result"', '"error":null,"params":null,"more":1,"result"'),
      });
      await server.listed();
      expect(resultText(await server.call())).to.equal("here");
    });

    it("reads an answer beside an empty error, without the version of the protocol, or with a method of null", async () => {
      const answer = result('{"content":[{"type":"text","text":"here"}]}');
      await using server = await start({
        object: answer.replace('"result"', '"error":{},"result"'),
        text: answer.replace('"result"', '"error":"","result"'),
        method: answer.replace('"result"', '"method":null,"result"'),
        number: answer.replace('"2.0"', "2.0"),
        none: answer.replace('"jsonrpc":"2.0",', ""),
      });
      for (const tool of ["object", "text", "method", "number", "none"]) {
        expect(resultText(await server.call(tool)), tool).to.equal("here");
      }
    });

    it("reads long numbers where the protocol has no object", async () => {
      const limit = '{"type":"integer","maximum":9223372036854775807}';
      const part = '{"type":"resource_link","uri":"u","name":"n","size":12345678901234567890}';
      await using server = await start({
        "tools/list": tools(`{"name":"echo","inputSchema":{"properties":{"n":${limit}}}}`),
        echo: result(`{"content":[${part},{"type":"text","text":12345678901234567890}]}`),
      });
      const [echo] = (await server.listed()).tools;
      expect(echo?.schema).to.contain('"maximum":9223372036854776000}');
      const text = resultText(await server.call());
      expect(text).to.contain("[resource n u 12345678901234567").and.contain("\n12345678901234567890");
    });

    it("tells an error whose members are empty or of another type", async () => {
      await using server = await start({
        bare: '{"jsonrpc":"2.0","id":$ID,"error":{"code":null,"message":null,"data":null}}',
        text: '{"jsonrpc":"2.0","id":"$ID","result":null,"error":{"code":"-32000","message":"no such pod"}}',
      });
      expect(await server.call("bare").catch(String)).to.contain("McpFailure");
      expect(await server.call("text").catch(String)).to.contain("no such pod");
    });

    it("has all digits of the numbers in arguments and results", async () => {
      const numbers =
        '"ts":1764163864123456789,"big":12345678901234567890123,"huge":1e400,"part":0.1000000000000000055';
      await using server = await start({
        "tools/list": tools(
          '{"name":"echo","inputSchema":{"type":"object","properties":{"ts":{"type":"integer"},"big":{"type":"integer"},"huge":{"type":"number"}}}}',
        ),
        echo: result(`{"content":[{"type":"text","text":$LAST}],"structuredContent":{${numbers}}}`),
      });
      const [echo] = (await server.listed()).tools;
      if (echo === undefined) throw new Error("no tool is listed");
      const context = { ...IDS, epoch: 1, isRepeatable: false, beforeSend: () => Promise.resolve() };
      const output = await findServer(server.servers).tool(echo).call(`{${numbers}}`, signal, context);
      const parts: unknown[] = [];
      for await (const part of output.content) parts.push(part);
      const content = parts.join("");
      expect(content).to.contain(`"arguments":{${numbers}}`);
      const structured = content.slice(content.indexOf("\n{"));
      expect(JSON.stringify(parseExactJson(structured))).to.equal(`{${numbers}}`);
    });
  });
}
