import { setTimeout as wait } from "node:timers/promises";
import { ensureStreams } from "#shared/bus/ensure-streams.ts";
import { isDurableBehind, recreateDurable } from "#shared/bus/executors-durable.ts";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { publishEvent } from "#shared/bus/publish-event.ts";
import { queuedSessions } from "#shared/bus/queued-sessions.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { wakeSession } from "#shared/bus/wake-session.ts";
import { sessionCancelCodec } from "#shared/contracts/session-cancel.ts";
import { busEventCodec, type SessionEvent } from "#shared/contracts/session-event.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/logger.ts";
import { openBackgroundWork } from "./background-work.ts";
import type { ApiMetrics } from "./api-metrics.ts";
import type { ApiConfig } from "./config.ts";

/**
 * The api's side of the bus. Everything here only speeds up what the rows already say: with NATS away nothing fails,
 * and the sweeper dispatches later.
 */
export interface Dispatcher extends AsyncDisposable {
  /** Wakes an executor for a session, in the background. */
  wake(sessionId: string): void;
  /** Wakes an executor for each session; rejects with NATS away, and unless the stream has taken all. */
  wakeAll(sessionIds: readonly string[]): Promise<void>;
  /** Tells the session's owner to stop, in the background. */
  cancel(sessionId: string): void;
  /** Publishes committed events of a session that has no owner, in the background. */
  publish(events: readonly SessionEvent[]): void;
  /**
   * Calls `handle` with the number of each event of a session that the bus brings from now on, until the returned
   * function is called. Which it does not bring, the session's row tells.
   */
  follow(sessionId: string, handle: (seq: number) => void): () => void;
  /** The sessions whose wake-up is in the stream now, creating the stream if it is missing. Rejects with NATS away. */
  queued(): Promise<ReadonlySet<string>>;
  /** True when the stream holds wake-ups that no executor will ever be given. Rejects with NATS away. */
  isQueueStuck(): Promise<boolean>;
  /** Has every wake-up in the stream delivered again. Rejects with NATS away. */
  recreateQueue(): Promise<void>;
  /** Rejects with a sentence unless NATS answers. */
  check(): Promise<void>;
}

/** A flush knows no limit of its own. */
const FLUSH_MS = 2_000;

/** Connects in the background, so that alerts are accepted while NATS is away. */
export function openDispatcher({
  config,
  log,
  metrics,
  signal,
}: {
  readonly config: ApiConfig;
  readonly log: Logger;
  readonly metrics: ApiMetrics;
  readonly signal: AbortSignal;
}): Dispatcher {
  let bus: Bus | undefined;
  const background = openBackgroundWork(log);
  const prepare = (connected: Bus) => ensureStreams(connected, { replicas: config.natsReplicas });
  const open = async () => {
    bus = await openBus({ url: config.natsUrl, name: "tarsy-api", log, signal });
    await prepare(bus);
  };
  const opening = open().catch((error: unknown) => {
    if (!signal.aborted) log.warn({ error: errorMessage(error) }, "streams not prepared: the sweeper will");
  });

  const inBackground = (what: string, work: (live: Bus) => Promise<void>) => {
    // Waiting for NATS would pile up whatever is submitted meanwhile.
    if (bus === undefined || !bus.isConnected()) return;
    const live = bus;
    background.start(what, () => work(live));
  };

  const connected = (): Bus => {
    if (bus === undefined) throw new Error("NATS has not answered yet");
    if (!bus.isConnected()) throw new Error("NATS is not connected");
    return bus;
  };

  return {
    wake: (sessionId) => inBackground("wake-up", (live) => wakeCounted(live, metrics, sessionId)),
    wakeAll: async (sessionIds) => {
      const live = connected();
      const sent = await Promise.allSettled(sessionIds.map(async (id) => wakeCounted(live, metrics, id)));
      const failed = sent.find(({ status }) => status === "rejected");
      if (failed?.status === "rejected") throw failed.reason;
    },
    cancel: (sessionId) => inBackground("cancel", (live) => sendCancel(live, sessionId)),
    publish: (events) => {
      for (const event of events) inBackground("event", (live) => publishEvent(live, event));
    },
    follow: (sessionId, handle) =>
      bus === undefined || bus.connection.isClosed() ? () => undefined : followEvents(bus, sessionId, handle),
    queued: async () => {
      await prepare(connected());
      return queuedSessions(connected());
    },
    isQueueStuck: async () => isDurableBehind(connected()),
    recreateQueue: async () =>
      recreateDurable(connected(), { maxRunning: config.agents.queue.max_concurrent_sessions }),
    check: async () => connected().check(),
    [Symbol.asyncDispose]: async () => {
      await opening;
      await background[Symbol.asyncDispose]();
      await bus?.[Symbol.asyncDispose]();
    },
  };
}

async function wakeCounted(bus: Bus, metrics: ApiMetrics, sessionId: string): Promise<void> {
  const result = await wakeSession(bus, sessionId).catch((error: unknown) => {
    metrics.wakeups.inc({ result: "failed" });
    throw error;
  });
  metrics.wakeups.inc({ result });
}

async function sendCancel(bus: Bus, sessionId: string): Promise<void> {
  // Core publish: the owner also finds the cancel at its next lease renewal.
  bus.connection.publish(SUBJECTS.cancel(sessionId), sessionCancelCodec.encode({ session_id: sessionId }));
  await Promise.race([bus.connection.flush(), wait(FLUSH_MS, undefined, { ref: false })]);
}

/** Ends with the returned function. */
function followEvents(bus: Bus, sessionId: string, handle: (seq: number) => void): () => void {
  const subscription = subscribe(bus, SUBJECTS.events(sessionId), busEventCodec, ({ seq }) => handle(seq));
  return () => subscription.unsubscribe();
}
