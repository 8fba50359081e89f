import { stdin, stdout } from "node:process";
import { createInterface } from "node:readline";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const Id = Type.Union([Type.Number(), Type.String()]);
const Call = Type.Object({
  protocolVersion: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  arguments: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  _meta: Type.Optional(
    Type.Object({ progressToken: Type.Optional(Id) }, { additionalProperties: Type.Unknown() }),
  ),
});
const parseMessage = compileParser(
  "message",
  Type.Object({ id: Type.Optional(Id), method: Type.Optional(Type.String()), params: Type.Optional(Call) }),
);

interface LineServer {
  readonly name: string;
  readonly instructions?: string;
  readonly tools: () => unknown;
  /** The `result` or `error` of a call; undefined for no answer. */
  readonly call: (call: Static<typeof Call>) => object | undefined | Promise<object>;
}

/** Sends a message of JSON-RPC. */
export const send = (message: object) => stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

/** A tool result of one text. */
export const textResult = (text: string) => ({ result: { content: [{ type: "text", text }] } });

/** An MCP server over standard streams. */
export async function serveLines({ name, instructions, tools, call }: LineServer): Promise<void> {
  for await (const line of createInterface({ input: stdin })) {
    const { id, method, params = {} } = parseMessage(JSON.parse(line));
    if (id === undefined) continue;
    if (method === "initialize") {
      const { protocolVersion = "2025-06-18" } = params;
      const serverInfo = { name, version: "1" };
      send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo, instructions } });
    } else if (method === "tools/list") {
      send({ id, result: { tools: tools() } });
    } else if (method === "tools/call") {
      const answer = await call(params);
      if (answer !== undefined) send({ id, ...answer });
    } else send({ id, error: { code: -32_601, message: `no method ${method}` } });
  }
}
