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
import { jitter, pause } from "#shared/pause.ts";
import type { ToolHomes } from "./tool-homes.ts";
import type { ToolTimeouts } from "./tool-timeouts.ts";

/** No runner reported how the call ended; whether it ran is unknown. */
export interface GaveUp {
  readonly kind: "gave_up";
  readonly message: string;
  readonly isTimeout: boolean;
}

/** How a call ended, as far as is known. */
export type FinalAnswer =
  | Exclude<ToolCallAnswer, { kind: "running" | "busy" }>
  /** It never started and never will. */
  | { readonly kind: "not_made"; readonly message: string; readonly isTimeout: boolean };

type RunnerReply = Exclude<ToolCallAnswer, { kind: "running" | "busy" }> | GaveUp;

const CONTRACT = { request: toolCallRequestCodec, reply: toolCallReplyCodec };

/**
 * Requests one call from the tool-runners, repeatedly under the same id, until one reports how it ended or `deadline`
 * (monotonic clock, milliseconds) has passed: first from the execution's home, and if that does not answer, from any. Lost, late and duplicate replies do no harm. Throws the signal's reason
 * once it aborts.
 */
export async function askToolRunner(
  { bus, homes }: { readonly bus: Bus; readonly homes: ToolHomes },
  call: Omit<ToolCallRequest, "timeout_ms">,
  deadline: number,
  signal: AbortSignal,
  timeouts: ToolTimeouts,
): Promise<RunnerReply> {
  const startedAt = performance.now();
  let silentSince: number | undefined;
  let lastError = "";
  for (;;) {
    const left = Math.ceil(deadline - performance.now());
    if (left <= 0) {
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      return { kind: "gave_up", message: `timed out after ${seconds} s${lastError}`, isTimeout: true };
    }
    const home = await homes.find(call.execution_id);
    try {
      const replyMs = Math.min(timeouts.replyMs, left + timeouts.afterDeadlineMs);
      const body = { ...call, timeout_ms: left };
      const subject = home === undefined ? SUBJECTS.toolsCall : SUBJECTS.toolsCallOf(home);
      const { call_id, answer, runner } = await request(bus, subject, CONTRACT, body, replyMs, signal);
      if (runner !== undefined) homes.remember(call.execution_id, runner);
      silentSince = undefined;
      lastError = answer.kind === "busy" ? ` (${answer.message})` : "";
      const isFinal = answer.kind !== "busy" && answer.kind !== "running" && call_id === call.call_id;
      if (isFinal) return answer;
      if (answer.kind === "running") continue;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof TerminalError) {
        return { kind: "gave_up", message: errorMessage(error), isTimeout: false };
      }
      if (!(error instanceof RetryableError)) throw error;
      lastError = ` (${error.message})`;
      if (home !== undefined && bus.isConnected()) {
        homes.forget(call.execution_id, home);
        continue;
      }
      if (error.code === "no_responders") {
        silentSince ??= performance.now();
        if (performance.now() - silentSince >= timeouts.noRespondersMs) {
          return { kind: "gave_up", message: "no tool-runner answers", isTimeout: false };
        }
      }
    }
    await pause(jitter(timeouts.retryMs), signal);
  }
}
