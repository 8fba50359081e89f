import { setTimeout as wait } from "node:timers/promises";
import type { BusSubscription } from "#shared/bus/subscribe.ts";
import { untilAborted } from "#shared/until-aborted.ts";

const RETRY_MS = 100;

/** Resolves once the server delivers, however often the connection is lost before that. Throws the signal's reason. */
export async function untilLive(subscription: BusSubscription, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await untilAborted(subscription.live(), signal);
    } catch {
      // The connection went while we asked; the client makes it, and the subscription on it, again.
      signal.throwIfAborted();
      await wait(RETRY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
