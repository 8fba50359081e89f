import { seesAll } from "#shared/access/authorize.ts";
import type { Identity } from "#shared/access/identity.ts";
import { TerminalError, coerceError } from "#shared/errors.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import type { Logger } from "#shared/service/logger.ts";
import { SessionFollower, type DialectContext } from "../dialect/session-follower.ts";
import type { TranslatedSessions } from "../dialect/translated-sessions.ts";
import type { AllSessionsFeed } from "../feed/all-sessions-feed.ts";
import type { StoredEventsContext } from "../feed/stored-events.ts";
import type { ClientOutbox } from "../outbox/client-outbox.ts";
import type { WebSocketFrame } from "../outbox/frames.ts";
import type { Cursor } from "./session-history.ts";
import { VisibleEvents } from "./visible-events.ts";
import type { VisibleSessions } from "./visible-sessions.ts";
import { subscribeToSession, type SessionSubscriptionContext } from "./subscribe-to-session.ts";

/** One session, or the status events of all sessions. */
type ChannelTarget = { readonly kind: "session"; readonly sessionId: string } | { readonly kind: "sessions" };

export interface Channel {
  /** The name as the client spelled it; replies repeat it. */
  readonly name: string;
  readonly target: ChannelTarget;
}

export interface SubscriptionContext extends SessionSubscriptionContext, StoredEventsContext, DialectContext {
  readonly log: Logger;
  readonly allSessions: AllSessionsFeed;
  readonly translatedSessions: TranslatedSessions;
  readonly visible: VisibleSessions;
}

interface Subscription {
  readonly stop: AbortController;
  /** Resolves with the `after_seq` of the confirmation; never settles if the subscription fails or ends first. */
  readonly confirmed: Promise<number | undefined>;
  /** The follower of a session in the dialect. */
  readonly follower?: SessionFollower;
}

interface ClientSubscriptionsOptions {
  readonly context: SubscriptionContext;
  readonly outbox: ClientOutbox;
  readonly identity: Identity;
  readonly maxSubscriptions: number;
  /** True if the client speaks the dialect of the contract. */
  readonly dialect: boolean;
  readonly report: (error: Error, channel: string) => void;
}

/** The subscriptions of one client, at most one per channel. */
export class ClientSubscriptions {
  readonly #options: ClientSubscriptionsOptions;
  readonly #byChannel = new Map<string, Subscription>();

  constructor(options: ClientSubscriptionsOptions) {
    this.#options = options;
  }

  /**
   * Confirms once live. Subscribing again without a cursor only repeats the confirmation; with a cursor it restarts
   * the subscription there. Throws TerminalError when the client has too many subscriptions.
   */
  subscribe(channel: Channel, cursor: Cursor | undefined): void {
    const key = keyOf(channel);
    const existing = this.#byChannel.get(key);
    if (existing !== undefined && cursor === undefined) {
      void existing.confirmed.then((afterSeq) => this.#confirm(channel, afterSeq));
      return;
    }
    if (existing !== undefined) this.#remove(key, existing);
    const { maxSubscriptions, context } = this.#options;
    if (this.#byChannel.size >= maxSubscriptions) {
      throw new TerminalError(
        "too_many_subscriptions",
        `a connection can have ${maxSubscriptions} subscriptions: unsubscribe from one or open another connection`,
      );
    }
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const stop = new AbortController();
    const confirmed = (afterSeq?: number) => {
      this.#confirm(channel, afterSeq);
      resolve(afterSeq);
    };
    const failed = (error: Error) => this.#failed(channel, subscription, error);
    const follower = this.#follower(channel, { stop, confirmed, failed });
    const subscription: Subscription = {
      stop,
      confirmed: promise,
      ...(follower === undefined ? {} : { follower }),
    };
    this.#byChannel.set(key, subscription);
    context.metrics.subscriptions.inc();
    this.#follow(channel, cursor, subscription, confirmed).catch((error: unknown) =>
      this.#failed(channel, subscription, coerceError(error)),
    );
  }

  /**
   * The client has, in the dialect, the events that precede the cursor. False if no subscription sends what follows it, or one has sent it
   * already.
   */
  catchUp(channel: Channel, lastEventId: number): boolean {
    return this.#byChannel.get(keyOf(channel))?.follower?.catchUp(lastEventId) ?? false;
  }

  /** Ends the channel's subscription: nothing more of it is sent. */
  unsubscribe(channel: Channel): void {
    const key = keyOf(channel);
    const subscription = this.#byChannel.get(key);
    if (subscription !== undefined) this.#remove(key, subscription);
  }

  close(): void {
    for (const [key, subscription] of this.#byChannel) this.#remove(key, subscription);
  }

  async #follow(
    channel: Channel,
    cursor: Cursor | undefined,
    subscription: Subscription,
    confirmed: (afterSeq?: number) => void,
  ): Promise<void> {
    const { context, outbox, identity } = this.#options;
    const { signal } = subscription.stop;
    if (channel.target.kind === "session") {
      const { sessionId } = channel.target;
      await context.visible.check(identity, sessionId, signal);
      if (subscription.follower !== undefined) return subscription.follower.follow();
      const failed = (error: Error) => this.#failed(channel, subscription, error);
      return subscribeToSession(context, { sessionId, cursor, outbox, confirmed, failed, signal });
    }
    const deliver = (frame: WebSocketFrame) => outbox.event(frame);
    const events = new VisibleEvents({
      visible: context.visible,
      identity,
      deliver,
      log: context.log,
      signal,
    });
    const watch = seesAll(identity)
      ? deliver
      : (frame: WebSocketFrame, sessionId: string) => events.push(frame, sessionId);
    const { live, detach } = this.#options.dialect
      ? context.translatedSessions.attach(watch)
      : context.allSessions.attach(({ frame }, { session_id }) => watch(frame, session_id));
    signal.addEventListener("abort", detach, { once: true });
    await untilAborted(live, signal);
    confirmed();
  }

  #follower(
    { name: channel, target }: Channel,
    {
      stop: { signal },
      ...callbacks
    }: {
      readonly stop: AbortController;
      readonly confirmed: () => void;
      readonly failed: (error: Error) => void;
    },
  ): SessionFollower | undefined {
    const { context, outbox, dialect } = this.#options;
    if (!dialect || target.kind !== "session") return undefined;
    const overflowed = () => outbox.control({ type: "catchup.overflow", channel, has_more: true });
    return new SessionFollower(context, {
      ...callbacks,
      sessionId: target.sessionId,
      outbox,
      overflowed,
      signal,
    });
  }

  #confirm({ name }: Channel, afterSeq: number | undefined): void {
    this.#options.outbox.control({
      type: "subscription.confirmed",
      channel: name,
      ...(afterSeq === undefined ? {} : { after_seq: afterSeq }),
    });
  }

  #failed(channel: Channel, subscription: Subscription, error: Error): void {
    if (subscription.stop.signal.aborted) return;
    this.#remove(keyOf(channel), subscription);
    this.#options.report(error, channel.name);
  }

  #remove(key: string, subscription: Subscription): void {
    if (this.#byChannel.get(key) === subscription) {
      this.#byChannel.delete(key);
      this.#options.context.metrics.subscriptions.dec();
    }
    subscription.stop.abort(new TerminalError("unsubscribed", "the subscription has ended"));
  }
}

function keyOf({ target }: Channel): string {
  return target.kind === "session" ? target.sessionId : target.kind;
}
