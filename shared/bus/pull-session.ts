import type { Consumer, JsMsg } from "nats";
import type { Bus } from "#shared/bus/open-bus.ts";
import { sessionWakeupCodec } from "#shared/contracts/session-wakeup.ts";
import { EXECUTORS_DURABLE, SESSIONS_STREAM, SUBJECTS } from "#shared/contracts/subjects.ts";
import { TerminalError, errorMessage } from "#shared/errors.ts";

/** A delivered wake-up, to be acknowledged. */
export interface SessionDelivery {
  readonly sessionId: string;
  /** Heartbeat: defers the redelivery of the message. */
  working(): void;
  /** Removes the wake-up from the stream. Once this resolves, a new one for the session can be queued. */
  ack(): Promise<void>;
  /** Asks for redelivery after `delayMs`. Until then the message counts towards the limit on running sessions. */
  nak(delayMs?: number): void;
}

/** Short, because a pull left behind by a frozen executor delays the next delivery by up to this time. */
const PULL_EXPIRES_MS = 5_000;

/** Gets the executors' durable for pulling. */
export async function openSessionQueue(bus: Bus): Promise<Consumer> {
  return bus.js.consumers.get(SESSIONS_STREAM, EXECUTORS_DURABLE);
}

/**
 * Waits up to 5 s, or until `signal` aborts, for one wake-up; resolves null when none came. A message that is not a
 * wake-up is logged, reported to `onPoison` and terminated, so that it is never redelivered; it resolves null, too.
 * Rejects when the server or the durable is gone.
 */
export async function pullSession(
  bus: Bus,
  queue: Consumer,
  signal: AbortSignal,
  onPoison: () => void = () => {},
): Promise<SessionDelivery | null> {
  // One message per pull: consume() prefetches messages, and other executors could not run them meanwhile.
  const pull = await queue.fetch({ max_messages: 1, expires: PULL_EXPIRES_MS });
  // Closing removes the pull's interest at the server, which then delivers nothing more to it.
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
    // The stream limits wake-ups to one per subject, so the subject must be the session's.
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
  // An acknowledgement is valid only on the server that delivered the message: after a change of server it could
  // acknowledge another session's message.
  const server = bus.connection.info?.server_id;
  const alive = () => !bus.connection.isClosed() && bus.connection.info?.server_id === server;
  return {
    sessionId,
    working: () => {
      if (alive()) message.working();
    },
    ack: async () => {
      // A lost acknowledgement is harmless: the message is redelivered, and by then the session's row is terminal.
      if (alive()) await message.ackAck().catch(() => false);
    },
    nak: (delayMs) => {
      if (alive()) message.nak(delayMs);
    },
  };
}
