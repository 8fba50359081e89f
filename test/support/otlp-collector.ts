import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { spansOf, type ReceivedSpan } from "./otlp-spans.ts";

/** A collector that takes traces over OTLP/HTTP and keeps them. Begun as one that hangs, it takes requests and never answers. */
export class OtlpCollector implements AsyncDisposable {
  readonly #server: Server;
  readonly endpoint: string;
  readonly spans: ReceivedSpan[] = [];
  /** Of each request. */
  readonly headers: IncomingHttpHeaders[] = [];

  private constructor(server: Server, endpoint: string) {
    this.#server = server;
    this.endpoint = endpoint;
  }

  static async start({ hangs = false } = {}): Promise<OtlpCollector> {
    const server = createServer();
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the collector has no port");
    const collector = new OtlpCollector(server, `http://127.0.0.1:${address.port}`);
    server.on("request", (request, response) => {
      void (async () => {
        const body = await buffer(request);
        collector.headers.push(request.headers);
        if (request.method !== "POST" || request.url !== "/v1/traces") return response.writeHead(404).end();
        collector.spans.push(
          ...spansOf(request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body),
        );
        if (hangs) return undefined;
        return response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
      })();
    });
    return collector;
  }

  /** The spans of a trace. */
  trace(traceId: string): readonly ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
