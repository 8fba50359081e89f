import type { Bus } from "#shared/bus/open-bus.ts";
import type { JsonCodec } from "#shared/contracts/json-codec.ts";
import { errorMessage } from "#shared/errors.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import type { Static, TSchema } from "typebox";

/**
 * A live subscription, made again after each reconnect. `unsubscribe` takes effect immediately: no message is handled
 * after it.
 */
export interface BusSubscription {
  /** Resolves once the subscription is active on the server; rejects while disconnected. */
  live(): Promise<void>;
  unsubscribe(): void;
}

/**
 * Calls `handle` with the parsed value and the subject of every message, in order. A malformed message is logged and
 * skipped. `handle` must not throw. It runs synchronously in the connection's read order, so messages of two
 * subscriptions on one connection are handled in the order they were sent.
 */
export function subscribe<S extends TSchema>(
  bus: Bus,
  subject: string,
  codec: JsonCodec<S>,
  handle: (value: Static<S>, subject: string) => void,
): BusSubscription {
  let open = true;
  const unsubscribe = bus.subscribe(subject, {
    callback: (error, message) => {
      if (!open) return;
      if (error !== null) {
        bus.log.error({ subject, error: error.message }, "subscription failed");
        return;
      }
      let value: Static<S>;
      try {
        value = codec.decode(message.data);
      } catch (malformed) {
        bus.log.error(
          { subject: message.subject, error: errorMessage(malformed) },
          "malformed message skipped",
        );
        return;
      }
      handle(value, message.subject);
    },
  });
  return {
    live: () => bus.flush(),
    unsubscribe: () => {
      open = false;
      unsubscribe();
    },
  };
}

/**
 * Resolves once every subscription made before is active on a server. Waits for the next connection if one is lost meanwhile: the
 * first may be, while a service loads its libraries. Throws the signal's reason once it aborts.
 */
export async function untilSubscribed(bus: Bus, signal: AbortSignal): Promise<void> {
  for (;;) {
    await bus.untilConnected(signal);
    try {
      return await untilAborted(bus.flush(), signal);
    } catch {
      signal.throwIfAborted();
    }
  }
}
