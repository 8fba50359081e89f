import type { Consumer, JsMsg } from "nats";
import type { Bus } from "#shared/bus/open-bus.ts";
import { sessionWakeupCodec } from "#shared/contracts/session-wakeup.ts";
import { EXECUTORS_DURABLE, SESSIONS_STREAM, SUBJECTS } from "#shared/contracts/subjects.ts";
import { TerminalError, errorMessage } from "#shared/errors.ts";

/** A delivered wake-up and what can be said about it. */
export interface SessionDelivery {
  readonly sessionId: string;
  /** "Still at it": keeps the message from being redelivered. */
  working(): void;
  /** The session needs no more wake-ups from this message; the subject is free once this resolves. */
  ack(): Promise<void>;
  /** Deliver it again, after `delayMs`. It keeps a place under the cluster's limit meanwhile. */
  nak(delayMs?: number): void;
}

/** An idle pull is short: one left behind by a frozen executor delays the next delivery by as much. */
const PULL_EXPIRES_MS = 5_000;

/** Opens the executors' durable for pulling. */
export async function openSessionQueue(bus: Bus): Promise<Consumer> {
  return bus.js.consumers.get(SESSIONS_STREAM, EXECUTORS_DURABLE);
}

/**
 * Waits up to 5 s, or until `signal` aborts, for one wake-up. Resolves null when none came, and for a message that is
 * no wake-up: that one is logged, told to `onPoison` and terminated, so it never comes again. Rejects when the server or
 * the durable is gone.
 */
export async function pullSession(
  bus: Bus,
  queue: Consumer,
  signal: AbortSignal,
  onPoison: () => void = () => {},
): Promise<SessionDelivery | null> {
  // One message at a time: a consume() with long handlers hoards messages that other executors could run.
  const pull = await queue.fetch({ max_messages: 1, expires: PULL_EXPIRES_MS });
  // Stopping withdraws our interest, so the server does not hand this pull a message any more.
  const stop = () => void pull.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    if (signal.aborted) stop();
    for await (const message of pull) return parseWakeup(bus, message, onPoison);
    return null;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function parseWakeup(bus: Bus, message: JsMsg, onPoison: () => void): SessionDelivery | null {
  try {
    const { session_id: sessionId } = sessionWakeupCodec.decode(message.data);
    // The subject is what keeps a second wake-up of a session out of the stream.
    if (message.subject !== SUBJECTS.sessions(sessionId)) {
      throw new TerminalError(
        "malformed",
        `a wake-up of session ${sessionId} does not belong on this subject`,
      );
    }
    return delivery(bus, sessionId, message);
  } catch (error) {
    bus.log.error({ subject: message.subject, error: errorMessage(error) }, "poison message terminated");
    message.term();
    onPoison();
    return null;
  }
}

function delivery(bus: Bus, sessionId: string, message: JsMsg): SessionDelivery {
  // After a change of server every token is dead: used on the new one, it would touch another session's message.
  const server = bus.connection.info?.server_id;
  const alive = () => !bus.connection.isClosed() && bus.connection.info?.server_id === server;
  return {
    sessionId,
    working: () => {
      if (alive()) message.working();
    },
    ack: async () => {
      // A lost acknowledgement is harmless: the message returns and finds a terminal row.
      if (alive()) await message.ackAck().catch(() => false);
    },
    nak: (delayMs) => {
      if (alive()) message.nak(delayMs);
    },
  };
}
