// An MCP server over standard streams whose tools put thirty secrets into whatever a server can send.
import { env, stderr, stdin, stdout } from "node:process";
import { createInterface } from "node:readline";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { SECRET_STATEMENTS } from "../secret-statements.ts";

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
        _meta: Type.Optional(
          Type.Object({ progressToken: Type.Optional(Type.Union([Type.Number(), Type.String()])) }),
        ),
      }),
    ),
  }),
);

const ALL = SECRET_STATEMENTS.map(({ text }) => text).join("\n");
const send = (message: object) => stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const texts = (...parts: string[]) => ({ content: parts.map((part) => ({ type: "text", text: part })) });
const half = Math.floor(ALL.length / 2);

/** By the name of the tool. */
const RESULTS: Readonly<Record<string, (args: object) => object>> = {
  text: () => texts(ALL),
  parts: () => texts(ALL.slice(0, half), ALL.slice(half)),
  split: () => texts("password: Hunter2", "SecretInTheSecondPart99"),
  lines: () => texts(...SECRET_STATEMENTS.map(({ text }) => text)),
  json: () => texts(JSON.stringify({ items: [{ log: ALL }] })),
  structured: () => ({ content: [], structuredContent: { log: ALL } }),
  both: () => ({ ...texts("see the structured content"), structuredContent: { messages: [ALL] } }),
  refused: () => ({ ...texts(ALL), isError: true }),
  resource: () => ({ content: [{ type: "resource", resource: { uri: "file:///log", text: ALL } }] }),
  link: () => ({
    content: [{ type: "resource_link", uri: "file:///log", name: ALL, mimeType: "text/plain" }],
  }),
  echo: (args) => texts(JSON.stringify(args)),
  environment: () => texts(JSON.stringify(env)),
  progress: () => texts("done"),
};

const tool = (name: string) => ({
  name,
  title: `title ${ALL}`,
  description: `does ${name}; ${ALL}`,
  inputSchema: { type: "object", properties: { text: { type: "string", description: ALL } } },
  annotations: { readOnlyHint: true },
});

for await (const line of createInterface({ input: stdin })) {
  const { id, method, params = {} } = parseMessage(JSON.parse(line));
  switch (method) {
    case "initialize":
      stderr.write(`${ALL}\n`);
      send({
        id,
        result: {
          protocolVersion: params.protocolVersion ?? "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "leaking", version: "1" },
          instructions: ALL,
        },
      });
      break;
    case "tools/list":
      send({ id, result: { tools: [...Object.keys(RESULTS), "error", "death"].map(tool) } });
      break;
    case "tools/call": {
      const { name = "", arguments: args = {} } = params;
      if (name === "death") {
        stderr.write(`${ALL}\n`, () => process.exit(1));
        break;
      }
      if (name === "progress") {
        const progressToken = params._meta?.progressToken;
        send({
          method: "notifications/progress",
          params: { progressToken, progress: 1, total: 2, message: ALL.slice(0, 900) },
        });
        send({ method: "notifications/message", params: { level: "info", data: ALL } });
      }
      const result = RESULTS[name];
      if (result === undefined) send({ id, error: { code: -32_603, message: ALL, data: { log: ALL } } });
      else send({ id, result: result(args) });
      break;
    }
    default:
      if (id !== undefined) send({ id, error: { code: -32_601, message: `no method ${method}` } });
  }
}
