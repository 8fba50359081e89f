import type { Subscription } from "nats";
import type { Bus } from "#shared/bus/open-bus.ts";
import type { JsonCodec } from "#shared/contracts/json-codec.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Static, TSchema } from "typebox";

/** A live subscription. `unsubscribe` takes effect at once: nothing is handled after it. */
export interface BusSubscription {
  /** Resolves once the server delivers to this subscription; rejects while disconnected. */
  live(): Promise<void>;
  unsubscribe(): void;
}

/**
 * Handles every message of a subject, in order, as its parsed value and with its subject; a malformed one is logged
 * and skipped. The handler must not throw; it runs synchronously in the connection's read order, so that messages
 * of two subscriptions on one connection reach their handlers in the order they were sent.
 */
export function subscribe<S extends TSchema>(
  bus: Bus,
  subject: string,
  codec: JsonCodec<S>,
  handle: (value: Static<S>, subject: string) => void,
): BusSubscription {
  let open = true;
  const subscription: Subscription = bus.connection.subscribe(subject, {
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
    live: () => bus.connection.flush(),
    unsubscribe: () => {
      open = false;
      subscription.unsubscribe();
    },
  };
}
