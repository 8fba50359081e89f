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
import type { Logger } from "#shared/service/logger.ts";
import { backoff, pause } from "#shared/pause.ts";

/** One connection to NATS with its JetStream clients. The client's own objects are for `shared/bus` only. */
export interface Bus extends AsyncDisposable {
  readonly connection: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly log: Logger;
  /** False from the moment a lost connection is noticed until it is restored. */
  isConnected(): boolean;
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
}

const RETRIES = { firstMs: 250, lastMs: 5_000 };
const CLOSE_FLUSH_MS = 1_000;

/**
 * Connects, retrying with backoff until the server answers; each failure is logged. Throws the signal's reason once it
 * aborts. After that the client reconnects by itself, without a limit on retries.
 */
export async function openBus({ url, name, log, signal }: BusOptions): Promise<Bus> {
  const options: ConnectionOptions = {
    ...parseNatsAddress(url),
    name,
    // Longer than the 3 s after which the network reports an address as unreachable, e.g. a restarted container's old
    // one: a connection attempt that the client times out itself stays alive inside it and breaks later connections.
    timeout: 5_000,
    // By default the client stops reconnecting after about 20 s and detects a half-open link only after 4 minutes.
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    pingInterval: 5_000,
    maxPingOut: 2,
  };
  for (let retry = 1; ; retry++) {
    signal.throwIfAborted();
    try {
      return await createBus(await connect(options), log);
    } catch (error) {
      log.warn(`NATS at ${withoutPassword(url)} cannot be used (${errorMessage(error)}): trying again`);
      await pause(backoff(retry, RETRIES), signal);
    }
  }
}

async function createBus(connection: NatsConnection, log: Logger): Promise<Bus> {
  try {
    // Without checkAPI, start-up does not depend on JetStream; its calls fail by themselves while it is unavailable.
    const jsm = await connection.jetstreamManager({ checkAPI: false });
    const status = trackStatus(connection, log);
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
        // Not drain(): it ends subscriptions before pending acknowledgements are sent, and drops buffered ones.
        // The time limit is for a missing server: flush() waits until it is back.
        await Promise.race([connection.flush().catch(() => undefined), wait(CLOSE_FLUSH_MS)]);
        await connection.close();
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function trackStatus(connection: NatsConnection, log: Logger): { readonly connected: boolean } {
  const state = { connected: true };
  const watch = async () => {
    for await (const { type, data: server } of connection.status()) {
      if (type === "disconnect") {
        state.connected = false;
        log.warn({ server }, "NATS connection lost: reconnecting");
      }
      if (type === "reconnect") {
        state.connected = true;
        log.info({ server }, "NATS connection restored");
      }
      // Usually a permission error: the server reports it once, and the message is lost.
      if (type === "error") log.error({ error: server }, "NATS refused something");
    }
  };
  void watch().catch((error: unknown) => log.error({ error: errorMessage(error) }, "NATS status unreadable"));
  return state;
}

function withoutPassword(url: string): string {
  return url.replaceAll(/\/\/[^@/]*@/gu, "//");
}
