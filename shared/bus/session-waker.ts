import { createInbox, type Msg } from "nats";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { STREAM_STORE_FAILED } from "#shared/bus/jetstream-error.ts";
import type { Bus } from "#shared/bus/open-bus.ts";
import { jsonCodec } from "#shared/contracts/json-codec.ts";
import { sessionWakeupCodec } from "#shared/contracts/session-signals.ts";
import { SUBJECTS, lastToken } from "#shared/contracts/subjects.ts";
import type { WakeUp } from "#shared/contracts/wake-up-queue.ts";
import { RetryableError, coerceError } from "#shared/errors.ts";

/** The result of a wake-up; an error means that it may not be in the stream. */
export type WakeResult = "queued" | "already_queued" | Error;

/** True if the server was reached and the stream did not take the wake-up, for another reason than that it is missing or has reached a limit. */
export function isNotTaken(result: WakeResult): boolean {
  return result instanceof RetryableError && NOT_TAKEN.has(result.code);
}
const NOT_TAKEN = new Set(["wakeup_refused", "wakeup_unanswered"]);

const ANSWER_TIMEOUT_MS = 2_000;
/** "maximum messages per subject exceeded"; a full stream has the same error code with another description. */
const SUBJECT_LIMIT = /per subject/iu;
/** "maximum messages exceeded", "maximum bytes exceeded": a limit of the stream, which works. */
const STREAM_LIMIT = /maximum (?:messages|bytes) exceeded/iu;

const answerCodec = jsonCodec(
  "answer to a wake-up",
  Type.Object(
    {
      error: Type.Optional(
        Type.Object({ err_code: Type.Optional(Type.Integer()), description: Type.String() }),
      ),
    },
    { additionalProperties: true },
  ),
);

/** Wake-ups that were published together. */
interface Burst {
  readonly results: (WakeResult | undefined)[];
  missing: number;
  readonly answered: () => void;
}

/**
 * Publishes wake-ups to SESSIONS and FOLLOWUPS in bursts: one write, one subscription for the answers and one timer, where a JetStream
 * publish has a request with a timer and a promise of its own. At 1,000 alerts a second that is most of the cost.
 */
export class SessionWaker implements Disposable {
  readonly #bus: Bus;
  readonly #inbox: string;
  readonly #unsubscribe: () => void;
  /** Keyed by the last token of the reply subject. */
  readonly #awaited = new Map<string, { readonly burst: Burst; readonly index: number }>();
  #published = 0;

  constructor(bus: Bus) {
    this.#bus = bus;
    this.#inbox = createInbox(bus.inboxPrefix);
    this.#unsubscribe = bus.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#onAnswer(message);
        else bus.log.error({ error: error.message }, "answers to wake-ups are lost");
      },
    });
  }

  /**
   * Publishes the sessions' wake-ups in this order. Resolves with one result for each once the stream has answered all of
   * them, after 2 s, or when the connection is lost. Never rejects.
   */
  async wake(wakeUps: readonly WakeUp[]): Promise<WakeResult[]> {
    const { connection, lost } = this.#bus;
    const { promise, resolve } = Promise.withResolvers<void>();
    const results = Array.from<WakeResult | undefined>({ length: wakeUps.length });
    const burst: Burst = { results, missing: wakeUps.length, answered: resolve };
    if (burst.missing === 0) return [];
    const giveUp = () => resolve();
    const timer = setTimeout(giveUp, ANSWER_TIMEOUT_MS);
    lost.addEventListener("abort", giveUp, { once: true });
    const first = this.#published;
    try {
      if (lost.aborted) throw notConnected();
      for (const [index, { sessionId, lane }] of wakeUps.entries()) {
        const token = String(this.#published++);
        this.#awaited.set(token, { burst, index });
        // No message id: the stream's deduplication would drop the next wake-up of the session as a repetition.
        connection.publish(
          SUBJECTS.wakeUp(lane, sessionId),
          sessionWakeupCodec.encode({ session_id: sessionId }),
          {
            reply: `${this.#inbox}.${token}`,
          },
        );
      }
      await promise;
      return results.map((result) => result ?? (lost.aborted ? notConnected() : unanswered()));
    } catch (error) {
      const failure = coerceError(error);
      return results.map((result) => result ?? failure);
    } finally {
      clearTimeout(timer);
      lost.removeEventListener("abort", giveUp);
      for (let token = first; token < this.#published && token < first + wakeUps.length; token++) {
        this.#awaited.delete(String(token));
      }
    }
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
  }

  #onAnswer(message: Msg): void {
    const token = lastToken(message.subject);
    const awaited = this.#awaited.get(token);
    if (awaited === undefined) return;
    this.#awaited.delete(token);
    const { burst, index } = awaited;
    burst.results[index] = readAnswer(message);
    burst.missing -= 1;
    if (burst.missing === 0) burst.answered();
  }
}

function readAnswer({ data, headers }: Msg): WakeResult {
  // The server's own status, without a body: there is no stream for the subject.
  if (data.length === 0) {
    return new RetryableError(
      "stream_missing",
      `no stream takes a wake-up (${headers?.code ?? "no status"})`,
    );
  }
  try {
    const { error } = answerCodec.decode(data);
    if (error === undefined) return "queued";
    const isQueued = error.err_code === STREAM_STORE_FAILED && SUBJECT_LIMIT.test(error.description);
    if (isQueued) return "already_queued";
    const code = STREAM_LIMIT.test(error.description) ? "stream_full" : "wakeup_refused";
    return new RetryableError(code, `the stream refused a wake-up: ${error.description}`);
  } catch (error) {
    return coerceError(error);
  }
}

function notConnected(): RetryableError {
  return new RetryableError("not_connected", "NATS is not connected");
}

function unanswered(): RetryableError {
  return new RetryableError("wakeup_unanswered", "the stream did not answer a wake-up");
}
