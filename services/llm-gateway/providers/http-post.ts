import type { IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { beginRecord } from "../recordings/recording-scope.ts";
import type { ExchangeRecord } from "../recordings/exchange-record.ts";
import { http } from "#shared/service/node-http.ts";

/** Connections are reused; an idle one is closed after this time. */
const IDLE_MS = 30_000;
/** The same as that of fetch, by which the other providers are called. */
const CONNECT_TIMEOUT_MS = 10_000;
const agents = {
  "http:": new http.Agent({ keepAlive: true, timeout: IDLE_MS }),
  "https:": new HttpsAgent({ keepAlive: true, timeout: IDLE_MS }),
};

interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly signal: AbortSignal;
  /** For the connection, TLS included. */
  readonly connectTimeoutMs?: number;
}

/**
 * Sends a POST request and resolves with the response, its body unread. Follows no redirect. Node's own client passes
 * the bytes on as they arrive; the web streams of fetch cost a third of a call's time in this process (measured).
 * Rejects with the error of Node's client, with ETIMEDOUT if no connection is made in time; `signal` aborts the request
 * and the body.
 */
export function httpPost(
  url: URL,
  { headers, body, signal, connectTimeoutMs = CONNECT_TIMEOUT_MS }: PostOptions,
): Promise<IncomingMessage> {
  const options = { method: "POST", headers };
  const request =
    url.protocol === "https:"
      ? requestHttps(url, { ...options, agent: agents["https:"] })
      : http.request(url, { ...options, agent: agents["http:"] });
  const record = beginRecord(() => ({
    method: "POST",
    url: url.href,
    headers: Object.entries(headers),
    body: typeof body === "string" ? body : Buffer.from(body).toString("utf8"),
  }));
  return new Promise((resolve, reject) => {
    // Node's own `signal` option destroys the socket with an error, which is unhandled after a complete response.
    let close = () => request.destroy(new Error("the request was aborted"));
    const abort = () => close();
    signal.addEventListener("abort", abort);
    request.on("close", () => signal.removeEventListener("abort", abort));
    request.on("error", (error) => {
      record?.end(signal.aborted ? "left" : "failed", codeOf(error));
      reject(error);
    });
    request.on("socket", (socket) => {
      if (!socket.connecting) return; // reused
      let late: NodeJS.Immediate | undefined;
      const end = () =>
        request.destroy(Object.assign(new Error("no connection in time"), { code: "ETIMEDOUT" }));
      // A connection that was made while this process was busy is seen before.
      const timer = setTimeout(() => (late = setImmediate(end)), connectTimeoutMs);
      const connected = () => {
        clearTimeout(timer);
        clearImmediate(late);
      };
      socket.once(url.protocol === "https:" ? "secureConnect" : "connect", connected);

      request.once("close", connected);
    });
    request.on("response", (response) => {
      close = () => request.destroy();
      response.on("error", () => undefined); // a reader gets the error anyway, but there may be no reader any more
      if (record !== undefined) recordResponse(response, record, signal);
      resolve(response);
    });
    if (signal.aborted) abort();
    else request.end(body);
  });
}

/** Records the body as it arrives, whether or when it is read. */
function recordResponse(response: IncomingMessage, record: ExchangeRecord, signal: AbortSignal): void {
  const headers = Object.entries(response.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  record.response(response.statusCode ?? 0, headers);
  // A listener for "data" would start the stream before its reader.
  const push = response.push.bind(response);
  response.push = (chunk: unknown, encoding) => {
    if (chunk instanceof Uint8Array) record.piece(chunk);
    return push(chunk, encoding);
  };
  response.once("error", (error) => record.end(signal.aborted ? "left" : "cut", codeOf(error)));
  response.once("close", () => {
    if (response.complete) record.end("complete");
    else record.end(signal.aborted ? "left" : "cut");
  });
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
