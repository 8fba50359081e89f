import { ErrorCode, NatsError, headers, type Msg, type MsgHdrs } from "nats";
import type { Static, TSchema } from "typebox";
import type { Bus } from "#shared/bus/open-bus.ts";
import type { BusSubscription } from "#shared/bus/subscribe.ts";
import type { JsonCodec } from "#shared/contracts/json-codec.ts";
import { RetryableError, errorMessage } from "#shared/errors.ts";
import { carrierIn } from "#shared/telemetry/trace-carrier.ts";
import { inSpan, traceCarrier } from "#shared/telemetry/tracing.ts";
import { untilAborted } from "#shared/until-aborted.ts";

/** Codecs of a request/reply subject. */
interface RequestContract<Q extends TSchema, A extends TSchema> {
  readonly request: JsonCodec<Q>;
  readonly reply: JsonCodec<A>;
}

/**
 * Sends a request and waits up to `timeoutMs` for one reply. Throws the signal's reason once it aborts; RetryableError
 * `no_responders` when no service subscribes to the subject and `request_timeout` when no reply came, at once if NATS is
 * not connected or the connection is lost; TerminalError `malformed` for a reply that violates the contract.
 */
export async function request<Q extends TSchema, A extends TSchema>(
  bus: Bus,
  subject: string,
  contract: RequestContract<Q, A>,
  value: Static<Q>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Static<A>> {
  signal?.throwIfAborted();
  try {
    const body = contract.request.encode(value);
    const answer = bus.connection.request(subject, body, { timeout: timeoutMs, ...traceHeaders() });
    const message = await (signal === undefined ? answer : untilAborted(answer, signal));
    return contract.reply.decode(message.data);
  } catch (error) {
    if (!(error instanceof NatsError)) throw error;
    if (error.code === ErrorCode.NoResponders) {
      throw new RetryableError("no_responders", `no service answers on ${subject}`, { cause: error });
    }
    throw new RetryableError("request_timeout", `no answer on ${subject}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

/** Lets the service that answers continue the trace. */
function traceHeaders(): { readonly headers?: MsgHdrs } {
  const carrier = traceCarrier();
  if (carrier === undefined) return {};
  const sent = headers();
  for (const [name, value] of Object.entries(carrier)) sent.set(name, value);
  return { headers: sent };
}

/**
 * Serves a request subject, within a queue group if one is named, so that replicas share the requests. Requests run
 * concurrently. A malformed request, or one whose handler throws, is logged and not answered. Requests of a trace have a span
 * that is named by `span`, if it is given.
 */
export function serveRequests<Q extends TSchema, A extends TSchema>(
  bus: Bus,
  { subject, queue, span }: { readonly subject: string; readonly queue?: string; readonly span?: string },
  contract: RequestContract<Q, A>,
  answer: (value: Static<Q>) => Static<A> | Promise<Static<A>>,
): BusSubscription {
  const unsubscribe = bus.subscribe(subject, {
    ...(queue === undefined ? {} : { queue }),
    callback: (error, message) => {
      if (error !== null) {
        bus.log.error({ subject, error: error.message }, "subscription failed");
        return;
      }
      void (async () => {
        const answerIt = async () => answer(contract.request.decode(message.data));
        const given = span === undefined ? await answerIt() : await inRequestSpan(span, message, answerIt);
        const reply = contract.reply.encode(given);
        // The answer goes to the current connection: the one that brought the request may be gone by now.
        if (message.reply !== undefined) bus.connection.publish(message.reply, reply);
      })().catch((failure: unknown) =>
        bus.log.error({ subject, error: errorMessage(failure) }, "request not answered"),
      );
    },
  });
  return { live: () => bus.flush(), unsubscribe };
}

async function inRequestSpan<T>(destination: string, message: Msg, answer: () => Promise<T>): Promise<T> {
  const parent = carrierIn((name) => message.headers?.get(name));
  // A request outside of a trace, such as a listing of the api's, begins none.
  if (parent === undefined) return answer();
  const attributes = {
    "messaging.system": "nats",
    "messaging.operation.type": "process",
    "messaging.operation.name": "process",
    "messaging.destination.name": destination,
  };
  return inSpan(`process ${destination}`, { kind: "server", parent, attributes }, answer);
}
