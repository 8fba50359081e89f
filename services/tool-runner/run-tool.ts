import type { ToolCallOutcome } from "#shared/contracts/tool-call.ts";
import { errorMessage } from "#shared/errors.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import { collectResult } from "./collect-result.ts";
import type { CallIdentity, Tool } from "./tool.ts";

const MAX_MESSAGE_CHARS = 4_000;

/** The abort reason of a running call. */
export class CallAborted extends Error {
  readonly why: "cancelled" | "deadline" | "runner_stops";

  constructor(why: CallAborted["why"], message: string) {
    super(message);
    this.why = why;
  }
}

/**
 * Runs a tool and resolves with the outcome; never rejects. The call's timeout and `signal` (whose reason must be a
 * CallAborted) end it immediately, even if the tool ignores its signal.
 */
export async function runTool(
  tool: Tool,
  call: CallIdentity & { readonly args: string; readonly timeoutMs: number; readonly maxResultChars: number },
  signal: AbortSignal,
): Promise<ToolCallOutcome> {
  const deadline = new AbortController();
  const atDeadline = () =>
    deadline.abort(new CallAborted("deadline", `timed out after ${(call.timeoutMs / 1_000).toFixed(1)} s`));
  const timer = setTimeout(atDeadline, call.timeoutMs);
  const aborted = AbortSignal.any([deadline.signal, signal]);
  const work = async (): Promise<ToolCallOutcome> => {
    const { isError, content } = await tool.call(call.args, aborted, call);
    return {
      kind: "result",
      content: await collectResult(content, call.maxResultChars),
      is_error: isError,
    };
  };
  try {
    return await untilAborted(work(), aborted);
  } catch (error) {
    const reason: unknown = aborted.reason;
    if (reason instanceof CallAborted) return abortedOutcome(reason, tool.description.read_only);
    const { text } = postgresSafeText(errorMessage(error));
    return { kind: "exception", message: text.slice(0, safeCut(text, MAX_MESSAGE_CHARS)) };
  } finally {
    clearTimeout(timer);
  }
}

/** A call that may change something may have done so before it was aborted. */
function abortedOutcome({ why, message }: CallAborted, readOnly: boolean): ToolCallOutcome {
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
