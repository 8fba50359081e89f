import {
  ResponderBuilder,
  ServerInterceptingCall,
  ServerListenerBuilder,
  status,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
} from "@grpc/grpc-js";
import { timingSafeEqual } from "node:crypto";
import type { ServerHttp2Stream } from "node:http2";
import { Duplex } from "node:stream";
import { TOKEN_METADATA } from "#shared/service/gateway-token.ts";
import { sha256 } from "#shared/access/secret-equals.ts";
import { TerminalError } from "#shared/errors.ts";
import { CallBudget, type CallLimits } from "./call-budget.ts";

/** The reason why a call was refused before a gateway looked at its request. */
export const REFUSALS = ["unauthenticated", "too_many_calls", "too_many_bytes"] as const;
export type Refusal = (typeof REFUSALS)[number];

interface GuardOptions {
  /** The tokens that are accepted. */
  readonly tokens: readonly string[];
  readonly limits: CallLimits;
  /** Called for each refused call. */
  readonly onRefused: (refusal: Refusal) => void;
}

/** UNAVAILABLE makes the caller try another gateway, and wait if all refuse; nothing of the call is used up. */
const ANSWERS = {
  unauthenticated: {
    code: status.UNAUTHENTICATED,
    details:
      "the call has no token that this LLM gateway accepts: the caller's LLM_GATEWAY_TOKEN must be the gateway's LLM_GATEWAY_TOKEN or LLM_GATEWAY_PREVIOUS_TOKEN",
  },
  too_many_calls: {
    code: status.UNAVAILABLE,
    details: "the LLM gateway runs as many calls as LLM_MAX_RUNNING_CALLS allows: call again",
  },
  too_many_bytes: {
    code: status.UNAVAILABLE,
    details: "the LLM gateway has no room for this request within LLM_MAX_BYTES_IN_FLIGHT: call again",
  },
} as const;

/**
 * Refuses calls without an accepted token, and calls over the limits, before their requests are parsed. A request is refused
 * while it arrives, as soon as there is no room for what has arrived.
 */
export function guardCalls({ tokens, limits, onRefused }: GuardOptions): ServerInterceptor {
  const isAccepted = tokenCheck(tokens);
  const budget = new CallBudget(limits);
  const refuse = (call: ServerInterceptingCallInterface, refusal: Refusal) => {
    onRefused(refusal);
    call.sendStatus(ANSWERS[refusal]);
    const stream = requestStream(call);
    // The caller should not send the rest, because it is not read.
    setImmediate(() => stream.close());
  };
  return (_method, call) =>
    new ServerInterceptingCall(
      call,
      new ResponderBuilder()
        .withStart((next) =>
          next(
            new ServerListenerBuilder()
              .withOnReceiveMetadata((metadata, proceed) => {
                const isKnown = isAccepted(metadata.get(TOKEN_METADATA));
                const share = isKnown ? budget.open() : undefined;
                if (share === undefined) {
                  refuse(call, isKnown ? "too_many_calls" : "unauthenticated");
                  return;
                }
                const stream = requestStream(call);
                const take = (bytes: Buffer) => {
                  if (share.add(bytes.length)) return;
                  stream.off("data", take);
                  share.release();
                  refuse(call, "too_many_bytes");
                };
                // grpc-js has paused the stream and resumes it for the request, so this only listens.
                stream.on("data", take);
                stream.once("close", () => share.release());
                metadata.remove(TOKEN_METADATA);
                proceed(metadata);
              })
              .build(),
          ),
        )
        .build(),
    );
}

const SCHEME = "Bearer ";

/**
 * Creates the check of a call's `authorization` metadata against the accepted tokens. All tokens are compared, as digests and
 * in constant time, so the time of a refusal reveals nothing about them.
 */
function tokenCheck(accepted: readonly string[]): (metadata: readonly unknown[]) => boolean {
  const digests = accepted.map(sha256);
  return ([sent]) => {
    if (typeof sent !== "string" || !sent.startsWith(SCHEME)) return false;
    const candidate = sha256(sent.slice(SCHEME.length));
    return digests.map((known) => timingSafeEqual(known, candidate)).includes(true);
  };
}

/**
 * The HTTP/2 stream of a call. grpc-js shows a request only when it has received all of it, so a limit for requests that are
 * being received needs the stream below. Throws TerminalError if grpc-js keeps it elsewhere than in the tested version.
 */
function requestStream(call: ServerInterceptingCallInterface): ServerHttp2Stream {
  const stream: unknown = Reflect.get(call, "stream");
  if (isHttp2Stream(stream)) return stream;
  throw new TerminalError("internal", "grpc-js does not show the stream of a call: use the locked version");
}

function isHttp2Stream(value: unknown): value is ServerHttp2Stream {
  return value instanceof Duplex && "rstCode" in value && "respond" in value;
}
