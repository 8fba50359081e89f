import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";
import { LOOPBACK_HOSTS, hostName, isLoopback } from "#shared/access/allowed-hosts.ts";
import { errorMessage } from "#shared/errors.ts";
import { listen } from "#shared/service/listen.ts";
import { http } from "#shared/service/node-http.ts";
import { answerParserErrors } from "#shared/service/refuse-request.ts";
import { SECURITY_HEADERS } from "#shared/service/security-headers.ts";

/** Resolves if the dependency answers; rejects with a one-sentence message otherwise. */
type ReadinessCheck = (signal: AbortSignal) => Promise<void>;

export interface HealthServerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Keyed by name of the dependency, e.g. { postgres, nats }. */
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  /** Keyed by name: one sentence each that `/readyz` adds, without a part in its verdict. */
  readonly information?: Readonly<Record<string, () => string>>;
  readonly metrics: Registry;
}

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(LOOPBACK_HOSTS);
const CHECK_TIMEOUT_MS = 1_000;

/**
 * Serves `GET /healthz` (always 200), `GET /readyz` (200 when every dependency answers within a second, else 503; the body
 * names each) and `GET /metrics` (Prometheus text). Resolves once it listens, with its port.
 */
export async function serveHealth(options: HealthServerOptions): Promise<{ port: number } & AsyncDisposable> {
  return serve(options, async (path, response) => answer(path, options, response));
}

/**
 * Serves `GET /readyz` of a service that waits for a dependency: 503 with what it waits for. Everything else is answered with 503, too. A
 * port that is taken is no error: the service itself reports it once it listens there.
 */
export async function serveStarting(
  place: Pick<HealthServerOptions, "host" | "port">,
  checks: () => Readonly<Record<string, string>>,
): Promise<AsyncDisposable | null> {
  const serving = serve(place, (path, response) =>
    send(
      response,
      503,
      path === "/readyz" ? { status: "not ready", checks: checks() } : { status: "starting" },
    ),
  );
  return serving.catch(() => null);
}

async function serve(
  options: Pick<HealthServerOptions, "host" | "port">,
  reply: (path: string, response: ServerResponse) => Promise<void> | void,
): Promise<{ port: number } & AsyncDisposable> {
  const server = http.createServer((request, response) => {
    const { host } = request.headers;
    // Bound to this machine it is reached by this machine's names only, unless a page lets its own name lead here.
    if (isLoopback(options.host) && host !== undefined && !LOOPBACK_NAMES.has(hostName(host))) {
      return send(response, 421, { message: "use localhost or 127.0.0.1 as the host" });
    }
    Promise.resolve(reply(request.url?.split("?", 1)[0] ?? "/", response)).catch((error: unknown) =>
      send(response, 500, { message: errorMessage(error) }),
    );
  });
  answerParserErrors(server);
  await listen(server, options);
  const address: AddressInfo | string | null = server.address();
  return {
    port: address !== null && typeof address === "object" ? address.port : options.port,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(path: string, options: HealthServerOptions, response: ServerResponse): Promise<void> {
  if (path === "/healthz") return send(response, 200, { status: "alive" });
  if (path === "/readyz") {
    const checks = await runChecks(options.checks);
    const ready = Object.values(checks).every((state) => state === "ok");
    const sentences = Object.entries(options.information ?? {}).map(([name, say]) => [name, say()] as const);
    const information = sentences.length === 0 ? {} : { information: Object.fromEntries(sentences) };
    return send(response, ready ? 200 : 503, {
      status: ready ? "ready" : "not ready",
      checks,
      ...information,
    });
  }
  if (path === "/metrics") {
    response.writeHead(200, { "content-type": options.metrics.contentType, ...SECURITY_HEADERS });
    response.end(await options.metrics.metrics());
    return;
  }
  send(response, 404, { message: "Not Found" });
}

async function runChecks(checks: HealthServerOptions["checks"]): Promise<Record<string, string>> {
  const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error(`no answer within ${CHECK_TIMEOUT_MS} ms`)));
  });
  late.catch(() => undefined); // without a check to race with, it would be an unhandled rejection
  const entries = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        await Promise.race([check(signal), late]);
        return [name, "ok"] as const;
      } catch (error) {
        return [name, errorMessage(error)] as const;
      }
    }),
  );
  return Object.fromEntries(entries);
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json", ...SECURITY_HEADERS });
  response.end(`${JSON.stringify(body)}\n`);
}
