import { setTimeout as wait } from "node:timers/promises";
import {
  connect,
  type ConnectionOptions,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
} from "nats";
import { parseNatsAddress } from "#shared/bus/nats-address.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/logger.ts";

/** One connection to NATS with its JetStream clients. Only `shared/bus` looks inside. */
export interface Bus extends AsyncDisposable {
  readonly connection: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly log: Logger;
  /** False from the moment a lost connection was noticed until it is back. */
  isConnected(): boolean;
  /** Asks the server for a sign of life; rejects with a sentence when there is none. */
  check(): Promise<void>;
}

export interface BusOptions {
  /** One URL or several, comma-separated, with or without `user:password@`. */
  readonly url: string;
  /** Shown by the server's own tools. */
  readonly name: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;
const CLOSE_FLUSH_MS = 1_000;

/**
 * Connects, retrying with a logged sentence until the server answers or `signal` aborts (then it throws the signal's
 * reason). Afterwards the connection repairs itself for as long as the process lives.
 */
export async function openBus({ url, name, log, signal }: BusOptions): Promise<Bus> {
  const options: ConnectionOptions = {
    ...parseNatsAddress(url),
    name,
    // Longer than the 3 s after which the network says that an address is gone, such as a restarted container's old one:
    // an attempt that the client gives up itself lives on inside it and breaks the connections that follow.
    timeout: 5_000,
    // The client's defaults give up reconnecting after some 20 s and notice a half-open link after 4 minutes.
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    pingInterval: 5_000,
    maxPingOut: 2,
  };
  for (let delay = FIRST_RETRY_MS; ; delay = Math.min(delay * 2, LAST_RETRY_MS)) {
    signal.throwIfAborted();
    try {
      return await describeBus(await connect(options), log);
    } catch (error) {
      log.warn(`NATS at ${withoutPassword(url)} cannot be used (${errorMessage(error)}): trying again`);
      await wait(delay * (0.5 + Math.random()), undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

async function describeBus(connection: NatsConnection, log: Logger): Promise<Bus> {
  try {
    // JetStream calls fail by themselves when it is unavailable; asking here would tie start-up to its state.
    const jsm = await connection.jetstreamManager({ checkAPI: false });
    const status = followStatus(connection, log);
    return {
      connection,
      isConnected: () => status.connected && !connection.isClosed(),
      js: connection.jetstream(),
      jsm,
      log,
      check: async () => {
        if (connection.isClosed()) throw new Error("the connection to NATS is closed");
        await connection.rtt();
      },
      [Symbol.asyncDispose]: async () => {
        // Not drain(): it stops deliveries before their acknowledgements could be sent (and loses buffered ones).
        // Without a server the flush would wait for its return.
        await Promise.race([connection.flush().catch(() => undefined), wait(CLOSE_FLUSH_MS)]);
        await connection.close();
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function followStatus(connection: NatsConnection, log: Logger): { readonly connected: boolean } {
  const state = { connected: true };
  const follow = async () => {
    for await (const { type, data: server } of connection.status()) {
      if (type === "disconnect") {
        state.connected = false;
        log.warn({ server }, "NATS connection lost: reconnecting");
      }
      if (type === "reconnect") {
        state.connected = true;
        log.info({ server }, "NATS connection restored");
      }
      // A forbidden subject, above all: the server says so once, and what was sent there is gone.
      if (type === "error") log.error({ error: server }, "NATS refused something");
    }
  };
  void follow().catch((error: unknown) =>
    log.error({ error: errorMessage(error) }, "NATS status unreadable"),
  );
  return state;
}

function withoutPassword(url: string): string {
  return url.replaceAll(/\/\/[^@/]*@/gu, "//");
}
