import type { Bus } from "#shared/bus/open-bus.ts";
import { request } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import {
  toolCallReplyCodec,
  toolCallRequestCodec,
  type ToolCallAnswer,
  type ToolCallRequest,
} from "#shared/contracts/tool-call.ts";
import { RetryableError, TerminalError, errorMessage } from "#shared/errors.ts";
import { pause, type ToolPatience } from "./tool-timeouts.ts";

/** No runner said how the call ended: whether it ran must be found out. */
export interface GaveUp {
  readonly kind: "gave_up";
  readonly message: string;
  readonly isTimeout: boolean;
}

/** How a call ended, as far as anyone knows. */
export type FinalAnswer =
  | Exclude<ToolCallAnswer, { kind: "running" | "busy" }>
  /** It never started and never will. */
  | { readonly kind: "not_made"; readonly message: string; readonly isTimeout: boolean };

type Asked = Exclude<ToolCallAnswer, { kind: "running" | "busy" }> | GaveUp;

const CONTRACT = { request: toolCallRequestCodec, reply: toolCallReplyCodec };

/**
 * Asks the tool-runners about one call, again and again under the same id, until one says how it ended or `deadline`
 * (by the monotonic clock, in milliseconds) has passed; lost, late and double answers do no harm. Throws the signal's
 * reason once it aborts.
 */
export async function askToolRunner(
  bus: Bus,
  call: Omit<ToolCallRequest, "timeout_ms">,
  deadline: number,
  signal: AbortSignal,
  patience: ToolPatience,
): Promise<Asked> {
  const startedAt = performance.now();
  let silentSince: number | undefined;
  let excuse = "";
  for (;;) {
    const left = Math.ceil(deadline - performance.now());
    if (left <= 0) {
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      return { kind: "gave_up", message: `timed out after ${seconds} s${excuse}`, isTimeout: true };
    }
    try {
      const patient = Math.min(patience.answerWithinMs, left + patience.afterDeadlineMs);
      const question = { ...call, timeout_ms: left };
      const { call_id, answer } = await request(bus, SUBJECTS.toolsCall, CONTRACT, question, patient, signal);
      silentSince = undefined;
      excuse = answer.kind === "busy" ? ` (${answer.message})` : "";
      const isFinal = answer.kind !== "busy" && answer.kind !== "running" && call_id === call.call_id;
      if (isFinal) return answer;
      if (answer.kind === "running") continue;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof TerminalError) {
        return { kind: "gave_up", message: errorMessage(error), isTimeout: false };
      }
      if (!(error instanceof RetryableError)) throw error;
      excuse = ` (${error.message})`;
      if (error.code === "no_responders") {
        silentSince ??= performance.now();
        if (performance.now() - silentSince >= patience.noRespondersMs) {
          return { kind: "gave_up", message: "no tool-runner answers", isTimeout: false };
        }
      }
    }
    await pause(patience, signal);
  }
}
