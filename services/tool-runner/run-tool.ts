import type { ToolCallOutcome } from "#shared/contracts/tool-call.ts";
import { errorMessage } from "#shared/errors.ts";
import { storableText } from "#shared/storable-text.ts";
import { safeCut } from "#shared/surrogate-guard.ts";
import { collectResult } from "./collect-result.ts";
import type { CallIdentity, Tool } from "./tool.ts";

const MAX_MESSAGE_CHARS = 4_000;

/** Why a running call is ended from outside; used as the reason of its signal. */
export class CallEnd extends Error {
  readonly why: "cancelled" | "deadline" | "runner_stops";

  constructor(why: CallEnd["why"], message: string) {
    super(message);
    this.why = why;
  }
}

/**
 * Runs a tool to its outcome, which this never throws. The end of its time, or of `signal` (whose reason must be a
 * CallEnd), takes effect at once, whether or not the tool heeds it.
 */
export async function runTool(
  tool: Tool,
  call: CallIdentity & { readonly args: string; readonly timeoutMs: number; readonly maxResultChars: number },
  signal: AbortSignal,
): Promise<ToolCallOutcome> {
  const own = new AbortController();
  const atDeadline = () =>
    own.abort(new CallEnd("deadline", `timed out after ${(call.timeoutMs / 1_000).toFixed(1)} s`));
  const timer = setTimeout(atDeadline, call.timeoutMs);
  const end = AbortSignal.any([own.signal, signal]);
  const ended = Promise.withResolvers<never>();
  const onAbort = () => ended.reject(end.reason);
  end.addEventListener("abort", onAbort, { once: true });
  if (end.aborted) onAbort();
  ended.promise.catch(() => undefined); // raced below
  try {
    const work = async (): Promise<ToolCallOutcome> => {
      const { isError, content } = await tool.call(call.args, end, call);
      return {
        kind: "result",
        content: await collectResult(content, call.maxResultChars),
        is_error: isError,
      };
    };
    return await Promise.race([work(), ended.promise]);
  } catch (error) {
    const reason: unknown = end.reason;
    if (reason instanceof CallEnd) return endedOutcome(reason, tool.description.read_only);
    const { text } = storableText(errorMessage(error));
    return { kind: "exception", message: text.slice(0, safeCut(text, MAX_MESSAGE_CHARS)) };
  } finally {
    clearTimeout(timer);
    end.removeEventListener("abort", onAbort);
  }
}

/** What is known of a call that was ended before it answered. */
function endedOutcome({ why, message }: CallEnd, readOnly: boolean): ToolCallOutcome {
  const doubt = readOnly ? "" : "; whether it took effect is not known";
  switch (why) {
    case "deadline":
      return { kind: "timeout", message: `${message}${doubt}` };
    case "cancelled":
      return { kind: "cancelled", message: `${message}${doubt}` };
    case "runner_stops":
      return { kind: readOnly ? "interrupted" : "outcome_unknown", message: `${message}${doubt}` };
    default:
      return why satisfies never;
  }
}
