import { ensureStreams } from "#shared/bus/ensure-streams.ts";
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
import type { ApiMetrics } from "./api-metrics.ts";
import type { ApiConfig } from "./config.ts";

/**
 * The api's side of the bus. Everything here only speeds up what the rows already say: with NATS away nothing fails,
 * and the sweeper dispatches later.
 */
export interface Dispatcher extends AsyncDisposable {
  /** Wakes an executor for a session, in the background. */
  wake(sessionId: string): void;
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
  /** Rejects with a sentence unless NATS answers. */
  check(): Promise<void>;
}

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
  const underWay = new Set<Promise<void>>();
  const prepare = (connected: Bus) => ensureStreams(connected, { replicas: config.natsReplicas });
  const open = async () => {
    bus = await openBus({ url: config.natsUrl, name: "tarsy-api", log, signal });
    await prepare(bus);
  };
  const opening = open().catch((error: unknown) => {
    if (!signal.aborted) log.warn({ error: errorMessage(error) }, "streams not prepared: the sweeper will");
  });

  const inBackground = (what: string, work: (connected: Bus) => Promise<void>) => {
    if (bus === undefined) return;
    const done = work(bus)
      .catch((error: unknown) =>
        log.warn({ error: errorMessage(error) }, `${what} not sent: the sweeper will see to it`),
      )
      .finally(() => underWay.delete(done));
    underWay.add(done);
  };

  const connected = (): Bus => {
    if (bus === undefined) throw new Error("NATS has not answered yet");
    return bus;
  };

  return {
    wake: (sessionId) => {
      inBackground("wake-up", async (live) => {
        const result = await wakeSession(live, sessionId).catch((error: unknown) => {
          metrics.wakeups.inc({ result: "failed" });
          throw error;
        });
        metrics.wakeups.inc({ result });
      });
    },
    cancel: (sessionId) => {
      // Core publish: the owner also finds the cancel at its next lease renewal.
      inBackground("cancel", async (live) => {
        live.connection.publish(
          SUBJECTS.cancel(sessionId),
          sessionCancelCodec.encode({ session_id: sessionId }),
        );
        await live.connection.flush();
      });
    },
    publish: (events) => {
      for (const event of events) inBackground("event", (live) => publishEvent(live, event));
    },
    follow: (sessionId, handle) => {
      if (bus === undefined || bus.connection.isClosed()) return () => undefined;
      const subscription = subscribe(bus, SUBJECTS.events(sessionId), busEventCodec, ({ seq }) =>
        handle(seq),
      );
      return () => subscription.unsubscribe();
    },
    queued: async () => {
      await prepare(connected());
      return queuedSessions(connected());
    },
    check: async () => connected().check(),
    [Symbol.asyncDispose]: async () => {
      await opening;
      await Promise.all(underWay);
      await bus?.[Symbol.asyncDispose]();
    },
  };
}
