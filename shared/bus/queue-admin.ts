import { ensureDurables, ensureStreams, type RunLimits } from "#shared/bus/ensure-streams.ts";
import { recreateDurable } from "#shared/bus/executors-durable.ts";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { RetryableError, errorMessage } from "#shared/errors.ts";
import { deleteStream, readRefusedStreams, type StreamAnswers } from "#shared/bus/refused-streams.ts";
import { type WakeUpQueue, SESSIONS_QUEUE } from "#shared/contracts/wake-up-queue.ts";
import type { Logger } from "#shared/service/logger.ts";
import { lastToken } from "#shared/contracts/subjects.ts";

/** Creates and updates the streams and the durables of the executors. */
export interface QueueAdmin {
  /** Creates what is missing and updates what has other settings. Rejects with one sentence if that fails. */
  prepare(): Promise<void>;
  /** Creates a queue's durable anew, so that it delivers every wake-up again. Rejects with one sentence if that fails. */
  recreateDurable(queue: WakeUpQueue): Promise<void>;
  /** Prepares again if streams had too few replicas a while ago, as those of one server that becomes a cluster. Never rejects. */
  retryReplicas(): Promise<void>;
  /** The streams that take no message although NATS answers, and whether one is missing. Rejects with one sentence if it does not. */
  readRefused(): Promise<StreamAnswers>;
  /** Deletes streams and prepares all of them. Rejects with one sentence if that fails. */
  remake(streams: readonly string[]): Promise<void>;
  /** The result of the last preparation. */
  readonly state: QueueState;
}

/** No session starts without its streams (`unhealthy`); with too few replicas they are lost with a server (`degraded`). */
export type QueueState =
  | { readonly status: "healthy" }
  | { readonly status: "degraded" | "unhealthy"; readonly message: string };

interface QueueAdminOptions {
  /** The address with the user that may create streams and consumers. */
  readonly url: string;
  /** The client's name in the server's monitoring. */
  readonly name: string;
  /** 1 on one server, 3 on a cluster. */
  readonly replicas: number;
  readonly limits: RunLimits;
  /** Throws when NATS is known not to answer, so that no dial is tried in vain. */
  readonly assertConnected: () => void;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** The time in which every server of a cluster is tried; the caller repeats what failed. */
const DIAL_MS = 10_000;
/** The time between two tries to give the streams their replicas. */
const RETRY_REPLICAS_MS = 10_000;

/**
 * Uses a connection of its own for each call: what may create streams may read everything on the bus, so these rights
 * exist only while they are used.
 */
export function queueAdmin({
  url,
  name,
  replicas,
  limits,
  assertConnected,
  log,
  signal,
}: QueueAdminOptions): QueueAdmin {
  const connected = async <T>(work: (bus: Bus) => Promise<T>): Promise<T> => {
    assertConnected();
    try {
      const dialling = AbortSignal.any([signal, AbortSignal.timeout(DIAL_MS)]);
      await using bus = await openBus({ url, name, log, signal: dialling });
      return await work(bus);
    } catch (error) {
      signal.throwIfAborted();
      const why = `the streams cannot be prepared (${errorMessage(error)})`;
      throw new RetryableError("queue_not_prepared", why, { cause: error });
    }
  };
  /** The positions of streams that were deleted and may have to be created again. */
  const firstSeqs = new Map<string, number>();
  let state: QueueState = { status: "unhealthy", message: "the streams have not been prepared yet" };
  let preparedAt = 0;
  const setState = (next: QueueState) => {
    const isNews = "message" in next && !("message" in state && state.message === next.message);
    if (isNews && next.status === "degraded") log.warn(next.message);
    state = next;
  };
  const prepare = async () => {
    try {
      await connected(async (bus) => {
        const shortfalls = await ensureStreams(bus, { replicas, log, firstSeqs });
        await ensureDurables(bus, limits);
        setState(
          shortfalls.length === 0
            ? { status: "healthy" }
            : { status: "degraded", message: shortfalls.join("; ") },
        );
      });
    } catch (error) {
      // Nothing new is known of the streams without a connection.
      if (error instanceof RetryableError) setState({ status: "unhealthy", message: error.message });
      throw error;
    } finally {
      preparedAt = performance.now();
    }
  };
  return {
    prepare,
    readRefused: () => connected(readRefusedStreams),
    remake: async (streams) => {
      await connected(async (bus) => {
        for (const stream of streams) {
          const firstSeq = await deleteStream(bus, stream);
          if (firstSeq !== undefined) firstSeqs.set(stream, firstSeq);
        }
      });
      await prepare();
    },
    recreateDurable: (queue) => connected((bus) => recreateDurable(bus, queue, limits)),
    retryReplicas: async () => {
      if (state.status !== "degraded" || performance.now() - preparedAt < RETRY_REPLICAS_MS) return;
      // Its failure is in the state, and the streams go on as they are.
      await prepare().catch(() => undefined);
    },
    get state() {
      return state;
    },
  };
}

/** Ids of all sessions with a wake-up in the queue: queued, delivered or delayed. Rejects if NATS does not answer. */
export async function queuedSessions(
  bus: Bus,
  { stream }: WakeUpQueue = SESSIONS_QUEUE,
): Promise<ReadonlySet<string>> {
  const { state } = await bus.jsm.streams.info(stream, { subjects_filter: ">" });
  return new Set(Object.keys(state.subjects ?? {}).map(lastToken));
}
