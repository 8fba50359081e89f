import {
  ErrorCode,
  NatsError,
  type JetStreamClient,
  type JetStreamManager,
  type Msg,
  type NatsConnection,
  type ServicesAPI,
  type Stats,
  type Status,
  type Subscription,
} from "nats";
import type { Bus } from "#shared/bus/open-bus.ts";
import type { Logger } from "#shared/service/logger.ts";
import { untilAborted } from "#shared/until-aborted.ts";

/** Called with the subject of each message that is published. */
type Notice = (subject: string) => void;

/**
 * A bus without a server: messages go only to `notice`, and no service answers a request.
 */
export class SilentBus implements Bus {
  readonly connection: NatsConnection;
  readonly inboxPrefix = undefined;
  readonly log: Logger;
  readonly lost = new AbortController().signal;

  constructor(log: Logger, notice: Notice = () => undefined) {
    this.log = log;
    this.connection = new SilentConnection(notice);
  }

  get js(): JetStreamClient {
    return missing("JetStream");
  }

  get jsm(): JetStreamManager {
    return missing("JetStream");
  }

  /** What asks the rows while the bus is away need not. */
  isConnected(): boolean {
    return true;
  }

  async untilConnected(signal: AbortSignal): Promise<void> {
    await untilAborted(Promise.resolve(), signal);
  }

  subscribe(): () => void {
    return () => undefined;
  }

  publishAndLook(_subject: string, _bytes: Uint8Array, unheard: () => void): void {
    unheard();
  }

  onReconnect(): void {}

  flush(): Promise<void> {
    return Promise.resolve();
  }

  check(): Promise<void> {
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

class SilentConnection implements NatsConnection {
  readonly #notice: Notice;
  readonly #closed = Promise.withResolvers<void>();

  constructor(notice: Notice) {
    this.#notice = notice;
  }

  get services(): ServicesAPI {
    return missing("services");
  }

  publish(subject: string): void {
    this.#notice(subject);
  }

  publishMessage(message: Msg): void {
    this.#notice(message.subject);
  }

  respondMessage(): boolean {
    return false;
  }

  subscribe(): Subscription {
    return missing("subscriptions");
  }

  request(): Promise<Msg> {
    return Promise.reject(NatsError.errorForCode(ErrorCode.NoResponders));
  }

  requestMany(): Promise<AsyncIterable<Msg>> {
    return Promise.reject(NatsError.errorForCode(ErrorCode.NoResponders));
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  drain(): Promise<void> {
    return this.close();
  }

  close(): Promise<void> {
    this.#closed.resolve();
    return Promise.resolve();
  }

  closed(): Promise<void> {
    return this.#closed.promise;
  }

  isClosed(): boolean {
    return false;
  }

  isDraining(): boolean {
    return false;
  }

  getServer(): string {
    return "none";
  }

  status(): AsyncIterable<Status> {
    return missing("status");
  }

  stats(): Stats {
    return { inBytes: 0, outBytes: 0, inMsgs: 0, outMsgs: 0 };
  }

  jetstream(): JetStreamClient {
    return missing("JetStream");
  }

  jetstreamManager(): Promise<JetStreamManager> {
    return missing("JetStream");
  }

  rtt(): Promise<number> {
    return Promise.resolve(0);
  }

  reconnect(): Promise<void> {
    return Promise.resolve();
  }
}

function missing(what: string): never {
  throw new Error(`a bus without a server has no ${what}`);
}
