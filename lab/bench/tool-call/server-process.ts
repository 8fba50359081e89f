// An MCP server over standard streams that answers at once.
import { stdin, stdout } from "node:process";
import { createInterface } from "node:readline";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const parseMessage = compileParser(
  "message",
  Type.Object({
    id: Type.Optional(Type.Union([Type.Number(), Type.String()])),
    method: Type.Optional(Type.String()),
    params: Type.Optional(Type.Object({ protocolVersion: Type.Optional(Type.String()) })),
  }),
);
const tools = ["look", "change"].map((name) => ({
  name,
  description: name,
  inputSchema: { type: "object" },
}));
const answer = { content: [{ type: "text", text: "checkout-7d9f6c5b84-x2lqk is OOMKilled" }] };
const send = (message: object) => stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

for await (const line of createInterface({ input: stdin })) {
  const { id, method, params = {} } = parseMessage(JSON.parse(line));
  if (method === "initialize") {
    const { protocolVersion = "2025-06-18" } = params;
    const serverInfo = { name: "bench", version: "1" };
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") send({ id, result: { tools } });
  else if (method === "tools/call") send({ id, result: answer });
  else if (id !== undefined) send({ id, error: { code: -32_601, message: `no method ${method}` } });
}
