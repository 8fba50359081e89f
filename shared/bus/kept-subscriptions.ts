import type { NatsConnection, Subscription, SubscriptionOptions } from "nats";

interface KeptSubscription {
  readonly subject: string;
  readonly options: SubscriptionOptions;
  current: Subscription | undefined;
}

/** Subscriptions that outlive a connection: `renew` makes them again on the next one, in their original order. */
export class KeptSubscriptions {
  readonly #kept = new Set<KeptSubscription>();

  /** Subscribes on this connection, unless it is closed, and on each later one. Returns a function that unsubscribes. */
  add(connection: NatsConnection, subject: string, options: SubscriptionOptions): () => void {
    const kept: KeptSubscription = { subject, options, current: undefined };
    this.#kept.add(kept);
    if (!connection.isClosed()) kept.current = connection.subscribe(subject, options);
    return () => {
      this.#kept.delete(kept);
      kept.current?.unsubscribe();
    };
  }

  /** Makes all subscriptions on a new connection. */
  renew(connection: NatsConnection): void {
    for (const kept of this.#kept) kept.current = connection.subscribe(kept.subject, kept.options);
  }
}
