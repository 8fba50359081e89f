import { text } from "node:stream/consumers";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { listen } from "#shared/service/listen.ts";

const parseMessage = compileParser(
  "message",
  Type.Object({
    id: Type.Optional(Type.Union([Type.Number(), Type.String()])),
    method: Type.String(),
    params: Type.Optional(
      Type.Object({
        name: Type.Optional(Type.String()),
        protocolVersion: Type.Optional(Type.String()),
        requestId: Type.Optional(Type.Unknown()),
      }),
    ),
  }),
);

/** What a test's server does with a call or another request; the name of the tool or of the method chooses. */
export type Answer = (request: IncomingMessage, response: ServerResponse, id: number | string) => void;

/** A server over HTTP for tests, in one era of the protocol, whose answers to calls are given by the test. */
export async function startHttpServer(
  era: "legacy" | "modern",
  answers: Readonly<Record<string, Answer | undefined>>,
  { isAuthorized = () => true, tls, refuseSession = answer404, before = nothing }: HttpServerOptions = {},
): Promise<HttpServer & AsyncDisposable> {
  const seen: string[] = [];
  const sessions = new Set<string>();
  const open = new Set<ServerResponse>();
  const listener: RequestListener = (request, response) => {
    void before(request, response)
      .then(async (isDone) => (isDone ? undefined : handle(request, response)))
      .catch(() => response.destroy());
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  const respond = (response: ServerResponse, id: unknown, result: object, headers = {}) => {
    const complete = era === "modern" ? { resultType: "complete", ...result } : result;
    response.writeHead(200, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: complete }));
  };
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    if (!isAuthorized(request.headers.authorization ?? "")) {
      response.writeHead(401, { "www-authenticate": "Bearer" }).end();
      return;
    }
    if (request.method === "DELETE") {
      seen.push(`DELETE ${request.url}`);
      response.writeHead(204).end();
      return;
    }
    if (request.method === "GET") {
      response.writeHead(405).end();
      return;
    }
    const { id, method, params = {} } = parseMessage(JSON.parse(await textOf(request)));
    const session = request.headers["mcp-session-id"];
    if (session !== undefined && !sessions.has(String(session))) {
      refuseSession(response, id);
      return;
    }
    seen.push(params.name === undefined ? method : `${method} ${params.name}`);
    if (id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const instead = answers[method];
    if (instead !== undefined) {
      instead(request, response, id);
      return;
    }
    if (method === "tools/call") {
      open.add(response);
      response.on("close", () => {
        open.delete(response);
        if (!response.writableFinished) seen.push(`closed ${params.name}`);
      });
      const answer = answers[params.name ?? ""];
      if (answer === undefined) respond(response, id, { content: [{ type: "text", text: params.name }] });
      else answer(request, response, id);
      return;
    }
    const capabilities = { tools: { listChanged: true } };
    const serverInfo = { name: "test", version: "1" };
    if (method === "initialize" && era === "legacy") {
      const name = `session-${sessions.size + 1}-${seen.length}`;
      sessions.add(name);
      const { protocolVersion } = params;
      respond(response, id, { protocolVersion, capabilities, serverInfo }, { "mcp-session-id": name });
    } else if (method === "server/discover" && era === "modern") {
      respond(response, id, {
        supportedVersions: ["2026-07-28"],
        capabilities,
        ttlMs: 0,
        cacheScope: "private",
      });
    } else if (method === "tools/list") {
      const tools = [{ name: "echo", inputSchema: { type: "object" } }];
      respond(response, id, { tools, ...(era === "modern" ? { ttlMs: 0, cacheScope: "private" } : {}) });
    } else {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } }),
      );
    }
  };
  await listen(server, { host: "127.0.0.1", port: 0 });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    respond,
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}/mcp`,
    seen,
    forgetSessions: () => sessions.clear(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function nothing(): Promise<boolean> {
  return Promise.resolve(false);
}

interface HttpServerOptions {
  /** Answers requests that are none of the protocol; true if it has. */
  readonly before?: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
  /** Of each request, by its header `Authorization`. */
  readonly isAuthorized?: (authorization: string) => boolean;
  readonly tls?: ServerOptions;
  /** Answers a request of a session that the server does not know. */
  readonly refuseSession?: (response: ServerResponse, id: number | string | undefined) => void;
}

function answer404(response: ServerResponse): void {
  response.writeHead(404).end();
}

interface HttpServer {
  /** Answers a request with a result. */
  readonly respond: (response: ServerResponse, id: unknown, result: object) => void;
  readonly url: string;
  /** Requests and ends of responses, in their order. */
  readonly seen: readonly string[];
  /** From now on the server knows none of the sessions it has given out. */
  readonly forgetSessions: () => void;
}

function textOf(request: IncomingMessage): Promise<string> {
  return text(request);
}
