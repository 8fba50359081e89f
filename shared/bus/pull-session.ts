import { createInbox, nanos, type Msg } from "nats";
import type { Bus } from "#shared/bus/open-bus.ts";
import { sessionWakeupCodec } from "#shared/contracts/session-signals.ts";
import type { WakeUpQueue } from "#shared/contracts/wake-up-queue.ts";
import { RetryableError, TerminalError, errorMessage } from "#shared/errors.ts";

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
/** The server ends a pull itself; an answer that comes later was lost. */
const PULL_LOST_MS = PULL_EXPIRES_MS + 2_000;
const ACK_TIMEOUT_MS = 5_000;

/** The server's status of a pull that has expired. */
const EXPIRED = 408;
/** The status of a request without a subscriber: a durable consumer answers its pulls itself. */
const NO_RESPONDERS = 503;
/** The code of the error of a pull while the stream or the durable does not exist. */
const QUEUE_MISSING = "queue_missing";

/**
 * Waits up to 5 s, or until `signal` aborts, for one wake-up of a queue; resolves null when none came, or
 * when the connection is lost. A message that is not a wake-up is logged, reported to `onPoison` and terminated, so that
 * it is never redelivered; it resolves null, too. Rejects when NATS is not connected, or the durable is gone (RetryableError `queue_missing` unless
 * it went during the pull).
 */
export async function pullSession(
  bus: Bus,
  queue: WakeUpQueue,
  signal: AbortSignal,
  onPoison: () => void = () => {},
): Promise<SessionDelivery | null> {
  const { connection, lost } = bus;
  const pulled = Promise.withResolvers<Msg | null>();
  const inbox = createInbox(bus.inboxPrefix);
  const subscription = connection.subscribe(inbox, {
    callback: (error, message) => (error === null ? pulled.resolve(message) : pulled.reject(error)),
  });
  const stop = () => pulled.resolve(null);
  const timer = setTimeout(stop, PULL_LOST_MS);
  for (const end of [signal, lost]) end.addEventListener("abort", stop, { once: true });
  try {
    if (signal.aborted || lost.aborted) return null;
    // One message per pull: other executors could not run messages that are prefetched here.
    const pull = JSON.stringify({ batch: 1, expires: nanos(PULL_EXPIRES_MS) });
    const subject = `$JS.API.CONSUMER.MSG.NEXT.${queue.stream}.${queue.durable}`;
    connection.publish(subject, pull, { reply: inbox });
    const message = await pulled.promise;
    if (message === null) return null;
    // A status comes on the inbox itself, a delivery on the message's own subject.
    if (message.subject !== inbox) return parseWakeup(bus, queue, message, onPoison);
    const { code = 0, description = "" } = message.headers ?? {};
    if (code === EXPIRED) return null;
    if (code === NO_RESPONDERS) {
      throw new RetryableError(
        QUEUE_MISSING,
        `the stream ${queue.stream} or its consumer does not exist: waiting until the api has created it`,
      );
    }
    throw new RetryableError("pull_refused", `no sessions can be pulled: ${code} ${description}`);
  } finally {
    clearTimeout(timer);
    for (const end of [signal, lost]) end.removeEventListener("abort", stop);
    // Removes the pull's interest at the server, which then delivers nothing more to it.
    subscription.unsubscribe();
  }
}

function parseWakeup(
  bus: Bus,
  queue: WakeUpQueue,
  message: Msg,
  onPoison: () => void,
): SessionDelivery | null {
  try {
    const { session_id: sessionId } = sessionWakeupCodec.decode(message.data);
    // The stream limits wake-ups to one per subject, so the subject must be the session's.
    if (!queue.subjectsOf(sessionId).includes(message.subject)) {
      throw new TerminalError(
        "malformed",
        `a wake-up of session ${sessionId} does not belong on this subject`,
      );
    }
    return delivery(bus, sessionId, message);
  } catch (error) {
    bus.log.error({ subject: message.subject, error: errorMessage(error) }, "poison message terminated");
    message.respond("+TERM");
    onPoison();
    return null;
  }
}

function delivery(bus: Bus, sessionId: string, { reply = "" }: Msg): SessionDelivery {
  // An acknowledgement is valid only on the server that delivered the message: after a change of server it could
  // acknowledge another session's message. A new connection to the same server may acknowledge it.
  const server = bus.connection.info?.server_id;
  let isAcknowledged = false;
  const canSend = () =>
    !isAcknowledged && !bus.connection.isClosed() && bus.connection.info?.server_id === server;
  return {
    sessionId,
    working: () => {
      if (canSend()) bus.connection.publish(reply, "+WPI");
    },
    ack: async () => {
      if (!canSend()) return;
      isAcknowledged = true;
      // A lost acknowledgement is harmless: the message is redelivered, and by then the session's row is terminal.
      await bus.connection.request(reply, "+ACK", { timeout: ACK_TIMEOUT_MS }).catch(() => undefined);
    },
    nak: (delayMs = 0) => {
      if (!canSend()) return;
      isAcknowledged = true;
      // The server takes only whole nanoseconds; it ignores any other delay and redelivers at once.
      const delay = delayMs > 0 ? ` ${JSON.stringify({ delay: nanos(Math.ceil(delayMs)) })}` : "";
      bus.connection.publish(reply, `-NAK${delay}`);
    },
  };
}
