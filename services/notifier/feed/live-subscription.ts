import type { Bus } from "#shared/bus/open-bus.ts";
import { subscribe, type BusSubscription } from "#shared/bus/subscribe.ts";
import { liveProgressCodec, type LiveProgress } from "#shared/contracts/live-progress.ts";
import { busEventCodec, type BusEvent } from "#shared/contracts/session-event.ts";
import { streamChunkCodec, type StreamChunk } from "#shared/contracts/stream-chunk.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { pause } from "#shared/pause.ts";
import { untilAborted } from "#shared/until-aborted.ts";

/** Called synchronously, in the order in which the messages arrive. */
interface LiveReceiver {
  readonly event: (event: BusEvent) => void;
  readonly chunk: (chunk: StreamChunk) => void;
  readonly progress: (progress: LiveProgress) => void;
}

interface LiveSubscription {
  /** Resolves once NATS delivers. Retries while disconnected; throws the signal's reason. */
  live(signal: AbortSignal): Promise<void>;
  unsubscribe(): void;
}

const RETRY_MS = 100;

/** Subscribes to what one session's owner publishes: events, text chunks and progress. */
export function subscribeToLive(bus: Bus, sessionId: string, receiver: LiveReceiver): LiveSubscription {
  // The subscriptions use one connection, so that no chunk and no progress overtakes its event.
  const events = subscribe(bus, SUBJECTS.events(sessionId), busEventCodec, receiver.event);
  const chunks = subscribe(bus, SUBJECTS.chunks(sessionId), streamChunkCodec, receiver.chunk);
  const progress = subscribe(bus, SUBJECTS.progress(sessionId), liveProgressCodec, receiver.progress);
  return {
    live: async (signal) => untilLive(chunks, signal),
    unsubscribe: () => {
      for (const subscription of [events, chunks, progress]) subscription.unsubscribe();
    },
  };
}

async function untilLive(subscription: BusSubscription, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await untilAborted(subscription.live(), signal);
    } catch {
      // The connection was lost meanwhile; the NATS client restores it together with the subscription.
      signal.throwIfAborted();
      await pause(RETRY_MS, signal);
    }
  }
}
