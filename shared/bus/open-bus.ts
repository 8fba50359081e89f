import { setTimeout as wait } from "node:timers/promises";
import type {
  ConnectionOptions,
  JetStreamClient,
  JetStreamManager,
  NatsConnection,
  SubscriptionOptions,
} from "nats";
import { KeptSubscriptions } from "#shared/bus/kept-subscriptions.ts";
import { parseNatsAddress } from "#shared/bus/nats-address.ts";
import { openNatsLink, type NatsLink } from "#shared/bus/nats-link.ts";
import { UnheardMessages } from "#shared/bus/unheard-messages.ts";
import { NATS_PING_MS } from "#shared/contracts/durations.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import { backoff, jitter, pause } from "#shared/pause.ts";
import { untilAborted } from "#shared/until-aborted.ts";

/**
 * NATS as a service sees it: one connection at a time, replaced by a new one when it is lost. While there is none,
 * everything that sends fails at once and nothing is buffered. The client's own objects are for `shared/bus` only.
 */
export interface Bus extends AsyncDisposable {
  /** The current connection, or the last one, which is closed, while disconnected. Valid until it is replaced. */
  readonly connection: NatsConnection;
  /** JetStream on the current connection. */
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  /** The prefix of reply subjects that this user may subscribe to; undefined for the client's default. */
  readonly inboxPrefix: string | undefined;
  readonly log: Logger;
  /** Aborts when the current connection is lost; is aborted while disconnected. */
  readonly lost: AbortSignal;
  /** False from the moment a lost connection is noticed until it is replaced and its subscriptions are active. */
  isConnected(): boolean;
  /** Resolves at once if connected, otherwise after the reconnect. Throws the signal's reason once it aborts. */
  untilConnected(signal: AbortSignal): Promise<void>;
  /** Subscribes now and on every later connection, in the order of these calls. Returns a function that unsubscribes. */
  subscribe(subject: string, options: SubscriptionOptions): () => void;
  /** Publishes, and calls `unheard` if no one subscribes to the subject, before a flush that begins now resolves. */
  publishAndLook(subject: string, bytes: Uint8Array, unheard: () => void): void;
  /** Calls `handle` after each reconnect. */
  onReconnect(handle: () => void): void;
  /** Resolves once the server has processed everything sent before. Rejects when the connection is lost. */
  flush(): Promise<void>;
  /** Round trip to the server; rejects with a one-sentence message when it fails. */
  check(): Promise<void>;
}

interface BusOptions {
  /** One URL or several, comma-separated, with or without `user:password@`. */
  readonly url: string;
  /** The client's name in the server's monitoring. */
  readonly name: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly timing?: BusTiming;
}

interface BusTiming {
  /** A connection whose server has not answered two pings, sent at this interval in ms, is given up. */
  readonly pingMs: number;
  /** A server that has not accepted the client after this time in ms is given up. */
  readonly dialMs: number;
}

/** A frozen server is noticed after at most 15 s. */
export const BUS_TIMING: BusTiming = { pingMs: NATS_PING_MS, dialMs: 4_000 };
/** The time between two rounds over all servers. Short: services are to be connected within 10 s of the server's return. */
const RETRIES = { firstMs: 250, lastMs: 2_000 };
/** The pause before the first dial after a loss: a server that accepts connections and ends them must not be dialled in a loop. */
const REDIAL_MS = 250;
const CLOSE_FLUSH_MS = 1_000;

/**
 * Connects, retrying with backoff until a server answers; each failure is logged. Throws the signal's reason once it
 * aborts. After that, a lost connection is replaced without a limit on retries, until the bus is disposed. Only the
 * servers named in `url` are used, in turn, starting with a random one.
 */
export async function openBus({ url, name, log, signal, timing = BUS_TIMING }: BusOptions): Promise<Bus> {
  const { servers, ...credentials } = parseNatsAddress(url);
  const options: ConnectionOptions = {
    ...credentials,
    name,
    timeout: timing.dialMs,
    pingInterval: timing.pingMs,
    maxPingOut: 2,
  };
  const open = linkOpener({ servers, options, log });
  const first = await open(signal, (failure) => log.warn(`${failure}: trying again`));
  return new ReplacedBus({ first, open, log, inboxPrefix: credentials.inboxPrefix });
}

/** Dials the servers in turn until one answers, and calls `report` with each failure, one sentence. */
type OpenLink = (signal: AbortSignal, report: (failure: string) => void) => Promise<NatsLink>;

/** Each call of the returned function begins with the server after the last one. */
function linkOpener({
  servers,
  options,
  log,
}: {
  readonly servers: readonly string[];
  readonly options: ConnectionOptions;
  readonly log: Logger;
}): OpenLink {
  let next = Math.floor(Math.random() * servers.length);
  return async (signal, report) => {
    for (let round = 1; ; round++) {
      for (let tried = 0; tried < servers.length; tried++) {
        signal.throwIfAborted();
        const server = servers[next++ % servers.length] ?? "";
        try {
          return await openNatsLink({ ...options, servers: [server] }, log, signal);
        } catch (error) {
          if (!signal.aborted) report(`NATS at ${server} cannot be used (${errorMessage(error)})`);
        }
      }
      await pause(backoff(round, RETRIES), signal);
    }
  };
}

class ReplacedBus implements Bus {
  readonly log: Logger;
  readonly inboxPrefix: string | undefined;
  readonly #open: OpenLink;
  readonly #subscriptions = new KeptSubscriptions();
  readonly #handlers: (() => void)[] = [];
  readonly #disposing = new AbortController();
  readonly #keeping: Promise<void>;
  #link: NatsLink;
  #restored: PromiseWithResolvers<void> | undefined;
  #unheard: UnheardMessages | undefined;

  constructor(parts: { first: NatsLink; open: OpenLink; log: Logger; inboxPrefix: string | undefined }) {
    this.#link = parts.first;
    this.#open = parts.open;
    this.log = parts.log;
    this.inboxPrefix = parts.inboxPrefix;
    this.#keeping = this.#keepConnected();
  }

  get connection(): NatsConnection {
    return this.#link.connection;
  }

  get js(): JetStreamClient {
    return this.#link.js;
  }

  get jsm(): JetStreamManager {
    return this.#link.jsm;
  }

  get lost(): AbortSignal {
    return this.#link.lost;
  }

  isConnected(): boolean {
    return this.#restored === undefined && !this.connection.isClosed();
  }

  async untilConnected(signal: AbortSignal): Promise<void> {
    while (!this.isConnected()) {
      // A loss is noticed in the same tick as the connection's end, so `#restored` is set right after.
      await untilAborted(
        this.#restored?.promise ?? wait(0),
        AbortSignal.any([signal, this.#disposing.signal]),
      );
    }
  }

  subscribe(subject: string, options: SubscriptionOptions): () => void {
    return this.#subscriptions.add(this.connection, subject, options);
  }

  publishAndLook(subject: string, bytes: Uint8Array, unheard: () => void): void {
    this.#unheard ??= new UnheardMessages(this);
    this.connection.publish(subject, bytes, { reply: this.#unheard.replySubject(unheard) });
  }

  onReconnect(handle: () => void): void {
    this.#handlers.push(handle);
  }

  async flush(): Promise<void> {
    return this.#link.flush();
  }

  async check(): Promise<void> {
    if (this.#disposing.signal.aborted) throw new Error("the connection to NATS is closed");
    if (!this.isConnected()) throw new Error("NATS is not connected");
    await this.flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Not drain(): it ends subscriptions before pending acknowledgements are sent.
    // The time limit is for a server that does not answer.
    await Promise.race([
      this.flush().catch(() => undefined),
      wait(CLOSE_FLUSH_MS, undefined, { ref: false }),
    ]);
    this.#disposing.abort(new Error("the connection to NATS is closed"));
    await this.connection.close();
    await this.#keeping;
  }

  async #keepConnected(): Promise<void> {
    const { signal } = this.#disposing;
    for (;;) {
      await this.connection.closed();
      if (signal.aborted) return;
      this.#restored = Promise.withResolvers();
      const { server, lost } = this.#link;
      this.log.warn({ server, error: errorMessage(lost.reason) }, "NATS connection lost: reconnecting");
      try {
        await this.#replace(signal);
      } catch {
        // Only disposal ends the tries.
        return;
      }
    }
  }

  /** Dials until a connection is there and the server has processed its subscriptions. */
  async #replace(signal: AbortSignal): Promise<void> {
    let reported = "";
    const report = (failure: string) => {
      // An outage can last for hours: a repeated failure is not a warning.
      this.log[failure === reported ? "debug" : "warn"](`${failure}: trying again`);
      reported = failure;
    };
    for (;;) {
      await pause(jitter(REDIAL_MS), signal);
      this.#link = await this.#open(signal, report);
      if (signal.aborted) {
        await this.connection.close();
        signal.throwIfAborted();
      }
      // This happens in the same tick as the assignment: a subscription made meanwhile would be missed or made twice.
      this.#subscriptions.renew(this.connection);
      try {
        await this.flush();
      } catch {
        signal.throwIfAborted();
        continue;
      }
      this.log.info({ server: this.#link.server }, "NATS connection restored");
      this.#restored?.resolve();
      this.#restored = undefined;
      this.#notify();
      return;
    }
  }

  #notify(): void {
    for (const handle of this.#handlers) {
      try {
        handle();
      } catch (error) {
        this.log.error({ error: errorMessage(error) }, "reconnect not handled");
      }
    }
  }
}
