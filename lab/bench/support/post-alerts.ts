import { Agent, request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { percentile } from "./percentile.ts";

/** The result of one load of alerts. */
export interface AcceptedAlerts {
  readonly sessionIds: readonly string[];
  /** When the request of each was written, by its id, in nanoseconds of the machine's monotonic clock. */
  readonly sentAtNs: ReadonlyMap<string, number>;
  /** From the first request to the last answer. */
  readonly seconds: number;
  readonly alertsPerSecond: number;
  /** From writing a request to the last byte of its 202, over all requests. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface PostAlertsOptions {
  /** The api, e.g. `http://127.0.0.1:8080`. */
  readonly api: string;
  readonly count: number;
  /** The number of clients. Each keeps one connection open and sends its next alert after the last answer. */
  readonly clients: number;
  readonly signal: AbortSignal;
  /** Called with each accepted alert; its client sends the next one when the promise resolves. */
  readonly accepted?: (sessionId: string) => Promise<void>;
}

/** About the size of a real alert: 1 KiB. */
const ALERT_LINE = "pod checkout-7d9f in namespace shop restarts: OOMKilled, exit code 137, limit 512Mi. ";
const ALERT_DATA = ALERT_LINE.repeat(12);

const parseAccepted = compileParser(
  "accepted alert",
  Type.Object({ session_id: Type.String() }, { additionalProperties: true }),
);

/**
 * Submits `count` different alerts of 1 KiB from `clients` concurrent clients. Throws if one is not accepted, and the signal's reason when it
 * aborts.
 */
export async function postAlerts({
  api,
  count,
  clients,
  signal,
  accepted = () => Promise.resolve(),
}: PostAlertsOptions): Promise<AcceptedAlerts> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const sentAtNs = new Map<string, number>();
  const sessionIds: string[] = [];
  const latencies: number[] = [];
  let sent = 0;
  const client = async () => {
    while (sent < count) {
      const data = `${ALERT_DATA}#${sent++}`;
      const sentAt = Number(process.hrtime.bigint());
      const startedAt = performance.now();
      const body = await post(agent, `${api}/api/v1/alerts`, JSON.stringify({ data }), signal);
      latencies.push(performance.now() - startedAt);
      const { session_id } = parseAccepted(JSON.parse(body));
      sessionIds.push(session_id);
      sentAtNs.set(session_id, sentAt);
      await accepted(session_id);
    }
  };
  const startedAt = performance.now();
  try {
    await Promise.all(Array.from({ length: clients }, client));
  } finally {
    agent.destroy();
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    sessionIds,
    sentAtNs,
    seconds,
    alertsPerSecond: count / seconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}

/** Uses node:http because fetch needs several times its CPU time, on the cores that are measured. */
async function post(agent: Agent, url: string, body: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const sending = request(url, { method: "POST", agent, headers, signal });
  sending.end(body);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sending.once("response", resolve).on("error", reject);
  });
  const answer = await text(response);
  if (response.statusCode === 202) return answer;
  throw new Error(`alert not accepted: ${response.statusCode} ${answer.slice(0, 300)}`);
}
