import { setTimeout as wait } from "node:timers/promises";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { callLlm, timedOut, type DeltaHandlers, type LlmReply } from "./call-llm.ts";
import type { OwnedSession } from "../owned-session.ts";

/** How often one call is made when the connection to the gateway breaks under it. */
const MAX_TRIES = 3;
const RETRY_MS = 500;

export interface TriedCall {
  readonly request: GenerateRequest;
  /** For all tries together, in milliseconds. */
  readonly timeoutMs: number;
  /** Called before each try with its number, by this owner or a former one; later ones supersede earlier ones. */
  readonly begin: (attempt: number) => DeltaHandlers & {
    /** Awaited once a try has come to its end in good order. */
    readonly end?: () => Promise<void>;
  };
}

/**
 * Makes one LLM call, again where the connection to the gateway broke under it. A failed call is an outcome. Throws the
 * session's reason when called off.
 */
export async function tryLlmCall(
  session: OwnedSession,
  { request, timeoutMs, begin }: TriedCall,
): Promise<LlmReply> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([session.signal, deadline]);
  for (let attempt = 1; ; attempt++) {
    // A call that is sent and called off at once may have reached the gateway.
    session.signal.throwIfAborted();
    const handlers = begin((session.epoch - 1) * MAX_TRIES + attempt);
    const reply = await callLlm({ llm: session.llm, request, signal, timeoutMs }, handlers);
    if (reply.outcome.kind === "completed") await handlers.end?.();
    session.signal.throwIfAborted();
    if (reply.outcome.kind === "completed") return reply;
    if (deadline.aborted) return { ...reply, outcome: timedOut(timeoutMs) };
    if (reply.outcome.kind === "failed" || attempt === MAX_TRIES) return reply;
    session.log.warn({ attempt, error: reply.outcome.reason }, "LLM call interrupted: making it again");
    await wait(RETRY_MS * attempt * (0.5 + Math.random()), undefined, { signal }).catch(() =>
      session.signal.throwIfAborted(),
    );
  }
}
