import { ensureExecutorsDurable, ensureStreams } from "#shared/bus/ensure-streams.ts";
import { recreateDurable } from "#shared/bus/executors-durable.ts";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { RetryableError, errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";

/** Creates and updates the streams and the executors' durable. */
export interface QueueAdmin {
  /** Creates what is missing and updates what has other settings. Rejects with one sentence if that fails. */
  prepare(): Promise<void>;
  /** Creates the durable anew, so that it delivers every wake-up again. Rejects with one sentence if that fails. */
  recreateDurable(): Promise<void>;
}

interface QueueAdminOptions {
  /** With the user that may create streams and consumers. */
  readonly url: string;
  /** The client's name in the server's monitoring. */
  readonly name: string;
  /** 1 on one server, 3 on a cluster. */
  readonly replicas: number;
  /** The limit on sessions that all executors together run concurrently. */
  readonly maxRunning: number;
  /** Throws when NATS is known not to answer, so that no dial is tried in vain. */
  readonly assertConnected: () => void;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** For every server of a cluster to be tried; the caller repeats what failed. */
const DIAL_MS = 10_000;

/**
 * Uses a connection of its own for each call: what may create streams may read everything on the bus, so these rights
 * exist only while they are used.
 */
export function queueAdmin({
  url,
  name,
  replicas,
  maxRunning,
  assertConnected,
  log,
  signal,
}: QueueAdminOptions): QueueAdmin {
  const connected = async (work: (bus: Bus) => Promise<void>) => {
    assertConnected();
    try {
      const dialling = AbortSignal.any([signal, AbortSignal.timeout(DIAL_MS)]);
      await using bus = await openBus({ url, name, log, signal: dialling });
      await work(bus);
    } catch (error) {
      signal.throwIfAborted();
      const why = `the streams cannot be prepared (${errorMessage(error)})`;
      throw new RetryableError("queue_not_prepared", why, { cause: error });
    }
  };
  return {
    prepare: () =>
      connected(async (bus) => {
        await ensureStreams(bus, { replicas });
        await ensureExecutorsDurable(bus, { maxRunning });
      }),
    recreateDurable: () => connected((bus) => recreateDurable(bus, { maxRunning })),
  };
}
