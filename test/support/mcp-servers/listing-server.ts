// An MCP server over standard streams whose tools are those of the JSON file in its first argument, read with each list. A call answers
// with the tool's name and its arguments.
import { readFileSync } from "node:fs";
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
        name: Type.Optional(Type.String()),
        arguments: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      }),
    ),
  }),
);
const parseTools: (text: string) => unknown = JSON.parse;
const send = (message: object) => stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const resultOf = (method: string | undefined, params: ReturnType<typeof parseMessage>["params"] = {}) => {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "listing", version: "1" },
      };
    case "tools/list":
      return { tools: parseTools(readFileSync(argv[2] ?? "", "utf8")) };
    case "tools/call":
      return {
        content: [{ type: "text", text: `${params.name} ${JSON.stringify(params.arguments ?? {})}` }],
      };
    default:
      return undefined;
  }
};

for await (const line of createInterface({ input: stdin })) {
  const { id, method, params } = parseMessage(JSON.parse(line));
  if (id === undefined) continue;
  const result = resultOf(method, params);
  send(result === undefined ? { id, error: { code: -32601, message: "unknown method" } } : { id, result });
}
