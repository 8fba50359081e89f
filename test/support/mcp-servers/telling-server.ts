// An MCP server over standard streams with one tool; it writes the `_meta` of each call as a line into the file of its argument.
import { appendFileSync } from "node:fs";
import { argv, stdin, stdout } from "node:process";
import { createInterface } from "node:readline";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const parseMessage = compileParser(
  "message",
  Type.Object({
    id: Type.Optional(Type.Union([Type.Number(), Type.String()])),
    method: Type.Optional(Type.String()),
    params: Type.Optional(
      Type.Object({
        protocolVersion: Type.Optional(Type.String()),
        arguments: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
        _meta: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      }),
    ),
  }),
);
const file = argv[2] ?? "";
const send = (message: object) => stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const tool = {
  name: "look",
  description: "looks",
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
  annotations: { readOnlyHint: true },
};

for await (const line of createInterface({ input: stdin })) {
  const { id, method, params = {} } = parseMessage(JSON.parse(line));
  switch (method) {
    case "initialize":
      send({
        id,
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: "telling", version: "1" },
        },
      });
      break;
    case "tools/list":
      send({ id, result: { tools: [tool] } });
      break;
    case "tools/call":
      appendFileSync(file, `${JSON.stringify(params._meta ?? {})}\n`);
      send({
        id,
        result: { content: [{ type: "text", text: `seen ${String(params.arguments?.["text"])}` }] },
      });
      break;
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: "unknown method" } });
  }
}
