// A server of the older era that answers each request with the text given for it, over any transport. As a program it has them in
// ANSWERS and speaks over standard streams.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { env, execPath, stdin, stdout } from "node:process";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { listen } from "#shared/service/listen.ts";
import type { ServerSettings } from "../../server-settings.ts";

/** By method, or by the name of a tool, a message with `$ID` for the id of the request and `$LAST` for what was sent last. */
export type RawAnswers = Readonly<Record<string, string>>;
export const RAW_TRANSPORTS = ["stdio", "http", "http with events", "sse"] as const;

const HANDSHAKE =
  '{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}}';
const LIST =
  '{"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}}';
const ERROR = '{"jsonrpc":"2.0","id":$ID,"error":{"code":-32601,"message":"no such method"}}';
const parseSent = compileParser(
  "message",
  Type.Object({
    id: Type.Optional(Type.Union([Type.Number(), Type.String()])),
    method: Type.String(),
    params: Type.Optional(Type.Object({ name: Type.Optional(Type.String()) })),
  }),
);

/** The text that answers a message; undefined for a notification. */
function answerTo(sent: string, answers: RawAnswers): string | undefined {
  const { id, method, params } = parseSent(JSON.parse(sent));
  if (id === undefined) return undefined;
  const all: RawAnswers = { initialize: HANDSHAKE, "tools/list": LIST, ...answers };
  const found = all[params?.name ?? ""] ?? all[method] ?? ERROR;
  return found
    .replaceAll('"$ID"', `"${id}"`)
    .replaceAll("$ID", JSON.stringify(id))
    .replaceAll("$LAST", () => JSON.stringify(sent));
}

/** Starts the server and resolves with the settings to reach it. */
export async function startRawServer(
  transport: (typeof RAW_TRANSPORTS)[number],
  answers: RawAnswers,
): Promise<{ readonly transport: ServerSettings["transport"] } & AsyncDisposable> {
  if (transport === "stdio") {
    const args = [fileURLToPath(import.meta.url)];
    const stdio = {
      type: "stdio",
      command: execPath,
      args,
      env: { ANSWERS: JSON.stringify(answers) },
    } as const;
    return { transport: stdio, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  let events: ServerResponse | undefined;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === "GET" && transport === "sse") {
      events = response.writeHead(200, { "content-type": "TEXT/Event-Stream; charset=UTF-8" });
      response.write("event: endpoint\r\ndata: /mcp\r\n\r\n");
      return;
    }
    if (request.method !== "POST") return void response.writeHead(405).end();
    const answer = answerTo(await text(request), answers);
    if (answer === undefined) return void response.writeHead(200).end();
    if (transport === "sse") {
      response.writeHead(202).end("Accepted");
      events?.write(`data: ${answer}\r\n\r\n`);
    } else if (transport === "http") {
      response.writeHead(200, { "content-type": "Application/JSON;charset=utf-8" }).end(answer);
    } else {
      // Without the empty line that ends an event.
      response.writeHead(200, { "content-type": "text/event-stream" }).end(`event: message\ndata: ${answer}`);
    }
  };
  const server = createServer(
    (request, response) => void handle(request, response).catch(() => response.destroy()),
  );
  await listen(server, { host: "127.0.0.1", port: 0 });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  return {
    transport: { type: transport === "sse" ? "sse" : "http", url, headers: {}, verifySsl: true },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

if (env["ANSWERS"] !== undefined) {
  const parseAnswers = compileParser("answers", Type.Record(Type.String(), Type.String()));
  const answers = parseAnswers(JSON.parse(env["ANSWERS"]));
  for await (const line of createInterface({ input: stdin })) {
    const answer = answerTo(line, answers);
    if (answer !== undefined) stdout.write(`${answer}\n`);
  }
}
