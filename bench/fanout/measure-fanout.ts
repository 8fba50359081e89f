import { setTimeout as wait } from "node:timers/promises";
import { randomUUID } from "node:crypto";
import type { NotifierFixture } from "../../services/notifier/test/notifier-fixture.ts";
import type { TestSession } from "../../services/notifier/test/test-session.ts";
import type { BenchmarkContext } from "../support/benchmark.ts";
import { readUsage } from "../support/process-usage.ts";
import { pace, stamp } from "./pace.ts";
import { Watchers } from "./watchers.ts";
import type { WsProcess } from "./ws-process.ts";

/** The figures of one round. */
export interface FanoutFigures {
  readonly latency_p50_ms: number;
  readonly latency_p99_ms: number;
  readonly cpu_us_per_delivery: number;
}

/** Sends texts to watchers by one of the compared ways. */
export interface Source {
  /** Sends one text. */
  send(text: string): void;
  readonly watchers: Watchers;
  /** The processes whose CPU time is measured. */
  readonly pids: readonly number[];
}

const FILL = "The container is killed for memory. ";
const SETTLE_MS = 300;

/** Sends texts as an executor does, through NATS and the notifier. */
export async function notifierSource(
  fixture: NotifierFixture,
  notifier: WsProcess,
  count: number,
): Promise<Source & AsyncDisposable> {
  const session: TestSession = await fixture.newSession();
  const watchers = await Watchers.start(notifier.port, count, `session:${session.id}`);
  const eventId = randomUUID();
  await session.emit(session.opened(eventId));
  let offset = 0;
  return {
    watchers,
    pids: [notifier.pid],
    send: (text) => {
      session.sendChunk(eventId, offset, text);
      offset += text.length;
    },
    [Symbol.asyncDispose]: async () => watchers[Symbol.asyncDispose](),
  };
}

/** Sends the same texts as ready strings through the plain WebSocket server. */
export async function plainSource(plain: WsProcess, count: number): Promise<Source & AsyncDisposable> {
  const watchers = await Watchers.start(plain.port, count);
  const ids = { type: "stream.chunk", session_id: randomUUID(), event_id: randomUUID(), attempt: 1 };
  return {
    watchers,
    pids: [plain.pid],
    send: (delta) =>
      plain.send(JSON.stringify({ ...ids, offset: 0, delta, timestamp: new Date().toISOString() })),
    [Symbol.asyncDispose]: async () => watchers[Symbol.asyncDispose](),
  };
}

/** Sends timestamped texts at a rate; resolves with their latencies and the CPU time per delivery. */
export async function measureFanout(
  source: Source,
  { perSecond, seconds, signal }: { perSecond: number; seconds: number; signal: BenchmarkContext["signal"] },
): Promise<FanoutFigures> {
  await source.watchers.take();
  const before = await readUsage(source.pids);
  await pace({ perSecond, seconds, signal }, () => source.send(stamp() + FILL));
  await wait(SETTLE_MS, undefined, { signal });
  const { cpuSeconds } = await readUsage(source.pids);
  const { count, p50_ms, p99_ms } = await source.watchers.take();
  return {
    latency_p50_ms: p50_ms ?? Number.NaN,
    latency_p99_ms: p99_ms ?? Number.NaN,
    cpu_us_per_delivery: ((cpuSeconds - before.cpuSeconds) * 1e6) / count,
  };
}
