import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { pause } from "#shared/pause.ts";
import type { NotifierFixture } from "../../../services/notifier/test/notifier-fixture.ts";
import type { SenderKind, SenderTask } from "../fanout/sender-task.ts";
import { Watchers } from "../fanout/watchers.ts";
import type { WsProcess } from "../fanout/ws-process.ts";
import { nextMessage } from "../support/next-message.ts";
import { readCpuSeconds } from "../support/process-usage.ts";
import { untilExited } from "../support/until-exited.ts";
import type { ArmFigures } from "./comparison.ts";

const SENDER = join(import.meta.dirname, "../fanout/sender-process.ts");
const POLL_MS = 20;
const STUCK_MS = 60_000;

/** A process that sends tokens. */
interface Sender extends AsyncDisposable {
  readonly pid: number;
  /** The port of the server that it started, 0 if it started none. */
  readonly port: number;
  /** Resolves once all tokens are sent. */
  send(task: SenderTask): Promise<void>;
}

/** Starts a process that sends tokens in this way. */
export async function startSender(kind: SenderKind, { servers }: NotifierFixture): Promise<Sender> {
  const child = fork(SENDER, [kind, servers.postgres.url, servers.nats.url]);
  const port = Number(await nextMessage(child, `the sender (${kind})`));
  return {
    pid: child.pid ?? 0,
    port,
    send: async (task) => {
      const sent = nextMessage(child, `the sender (${kind})`);
      child.send(task);
      await sent;
    },
    [Symbol.asyncDispose]: async () => {
      // It exits when the channel closes, and so does the server that it started.
      if (child.connected) child.disconnect();
      await untilExited(child);
    },
  };
}

export interface FanoutLoad {
  readonly watchers: number;
  readonly perSecond: number;
  readonly tokens: number;
  readonly signal: AbortSignal;
}

/** One way from a sender to watchers. */
export interface FanoutWay {
  readonly name: string;
  readonly sender: Sender;
  /** The port that watchers connect to. */
  readonly port: number;
  /** Every process on the way but the watchers. */
  readonly pids: readonly number[];
  /** Whether watchers subscribe to the session. */
  readonly subscribes: boolean;
}

/** Our way: an executor's sender, NATS and the notifier. */
export function notifierWay(fixture: NotifierFixture, notifier: WsProcess, sender: Sender): FanoutWay {
  const { nats, postgres } = fixture.servers;
  return {
    name: "notifier",
    sender,
    port: notifier.port,
    pids: [sender.pid, notifier.pid, nats.pid, postgres.pid],
    subscribes: true,
  };
}

/**
 * Sends tokens to new watchers. Resolves with the latency from sending to the watcher's socket and the CPU time per delivery
 * once every watcher has received every token. Throws if one is lost, doubled or out of order.
 */
export async function measureFanout(
  fixture: NotifierFixture,
  { name, sender, port, pids, subscribes }: FanoutWay,
  { watchers: count, perSecond, tokens, signal }: FanoutLoad,
): Promise<ArmFigures> {
  const session = await fixture.newSession();
  await using watchers = await Watchers.start(port, count, subscribes ? `session:${session.id}` : undefined);
  const eventId = randomUUID();
  if (subscribes) await session.emit(session.opened(eventId));
  const expected = count * tokens;
  const before = await readCpuSeconds(pids);
  await sender.send({ sessionId: session.id, eventId, perSecond, tokens });
  await untilReceived(watchers, expected, name, signal);
  const cpu = (await readCpuSeconds(pids)) - before;
  const { count: received, misplaced, p50_ms, p99_ms } = await watchers.take();
  if (received !== expected || misplaced > 0) {
    throw new Error(`${name}: ${received} deliveries of ${expected}, ${misplaced} out of order`);
  }
  return {
    latency_p50_ms: p50_ms ?? Number.NaN,
    latency_p99_ms: p99_ms ?? Number.NaN,
    cpu_us_per_delivery: (cpu * 1e6) / expected,
  };
}

async function untilReceived(
  watchers: Watchers,
  expected: number,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  let [most, grewAt] = [-1, performance.now()];
  for (;;) {
    signal.throwIfAborted();
    const received = await watchers.count();
    if (received >= expected) return;
    const now = performance.now();
    if (received > most) [most, grewAt] = [received, now];
    if (now - grewAt > STUCK_MS) throw new Error(`${name}: only ${received} deliveries of ${expected}`);
    await pause(POLL_MS, signal);
  }
}
