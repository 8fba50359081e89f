import type { ToolCallOutcome } from "#shared/contracts/tool-call.ts";
import { isRepeatable as mayRepeat, type ToolEffect } from "#shared/contracts/tool-list.ts";
import { errorMessage } from "#shared/errors.ts";
import type { MaskedValue } from "#shared/masking/mask-context.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import { showResult, type KeptResult, type CollectedResult } from "#shared/tool-results/show-result.ts";
import type { ByteReservation } from "./byte-budget.ts";
import { CallAborted } from "./call-aborted.ts";
import { WITHHELD, type CallMasking } from "./call-masking.ts";
import type { ProgressReport } from "./call-progress.ts";
import { collectResult } from "./collect-result.ts";
import { abortedOutcome, thrownOutcome } from "./failed-outcome.ts";
import { readableText, withoutOwnLines } from "./readable-text.ts";
import type { ToolCallContext, CallIdentity, Tool } from "./tool.ts";

const MAX_MESSAGE_CHARS = 4_000;
/** Masked before it is cut to the former. */
const MAX_RAW_MESSAGE_CHARS = 64_000;

/** The end of a call, and the whole text of a result of which its outcome shows a window. */
export interface EndedCall {
  readonly outcome: ToolCallOutcome;
  readonly kept: KeptResult | null;
  /** The values that were masked in it. */
  readonly masked: readonly MaskedValue[];
}

interface RunDeps {
  readonly masking: Pick<CallMasking, "mask" | "values">;
  readonly memory: Pick<ByteReservation, "grow">;
  readonly onProgress?: (progress: ProgressReport) => void;
  /** Commits what must be stored before the call may be sent. Throws if it may not be sent. */
  readonly announce: (signal: AbortSignal) => Promise<void>;
}

/**
 * Runs a tool and resolves with the outcome, its text masked; never rejects. The call's timeout and `signal` (whose reason must be a
 * CallAborted) end it immediately, even if the tool ignores its signal.
 */
export async function runTool(
  tool: Tool,
  call: CallIdentity & {
    /** The strictest opinion about what it may do. */
    readonly effect: ToolEffect;
    readonly args: string;
    readonly timeoutMs: number;
    readonly maxResultChars: number;
    /** Under which the whole text of a large result is read. */
    readonly handle: string;
  },
  signal: AbortSignal,
  { masking, memory, announce, onProgress }: RunDeps,
): Promise<EndedCall> {
  const deadline = new AbortController();
  const atDeadline = () =>
    deadline.abort(new CallAborted("deadline", `timed out after ${(call.timeoutMs / 1_000).toFixed(1)} s`));
  const timer = setTimeout(atDeadline, call.timeoutMs);
  const aborted = AbortSignal.any([deadline.signal, signal]);
  const isRepeatable = mayRepeat(call.effect);
  let hasBegun = false;
  const beforeSend = async () => {
    await announce(aborted);
    // Nothing can abort from here to the assignment: an aborted call is either known to be unsent, or stays so.
    aborted.throwIfAborted();
    hasBegun = true;
  };
  const work = async (): Promise<EndedCall> => {
    const { callId, executionId, epoch } = call;
    const reporting = onProgress === undefined ? {} : { onProgress };
    const own = { callId, executionId, epoch, isRepeatable, beforeSend, ...reporting };
    const { isError, seams, collected } = await collectedOutput(tool, call.args, aborted, own);
    // A part is made readable before it is joined, so the seams still hold.
    const readable = { ...collected, text: readableText(collected.text) };
    const masked = await maskResult(readable, async (text) => masking.mask(text, aborted, seams));
    const shown = showResult(masked, call.maxResultChars, call.handle);
    return {
      outcome: { kind: "result", content: shown.content, is_error: isError },
      kept: shown.kept,
      masked: masking.values(),
    };
  };
  const collectedOutput = async (
    ...[to, args, until, context]: [Tool, string, AbortSignal, ToolCallContext]
  ) => {
    using held = new DisposableStack();
    const holdMemory = (one: Disposable) => held.use(one);
    const { isError, seams, content } = await to.call(args, until, { ...context, holdMemory });
    return { isError, seams, collected: await collectResult(content, memory) };
  };
  const failed = async (error: unknown): Promise<ToolCallOutcome> => {
    const reason: unknown = aborted.aborted ? aborted.reason : error;
    const progress = { isRepeatable, hasBegun };
    if (reason instanceof CallAborted) {
      const { kind, ending } = abortedOutcome(reason, progress);
      return failure(kind, `${reason.message}${ending}`);
    }
    const { kind, ending } = thrownOutcome(error, progress);
    return failure(kind, `${await exceptionMessage(error, masking, signal)}${ending}`);
  };
  try {
    return await untilAborted(work(), aborted);
  } catch (error) {
    return { outcome: await failed(error), kept: null, masked: masking.values() };
  } finally {
    clearTimeout(timer);
  }
}

function failure(kind: ReturnType<typeof thrownOutcome>["kind"], message: string): ToolCallOutcome {
  return kind === "answer" ? { kind: "result", content: message, is_error: true } : { kind, message };
}

/** The message of what a tool has thrown, masked; withheld if the runner stops meanwhile. */
async function exceptionMessage(
  error: unknown,
  masking: Pick<CallMasking, "mask">,
  signal: AbortSignal,
): Promise<string> {
  const said = errorMessage(error).slice(0, MAX_RAW_MESSAGE_CHARS);
  const message = withoutOwnLines(readableText(said));
  const masked = await masking.mask(message, signal).catch(() => WITHHELD);
  const { text } = postgresSafeText(masked);
  return text.slice(0, safeCut(text, MAX_MESSAGE_CHARS));
}

/** A longer run without white space is cut where it is. */
const MAX_WORD = 8_192;

/** The result with its text masked by `mask`. Throws what `mask` throws. */
async function maskResult(
  result: CollectedResult,
  mask: (text: string) => Promise<string>,
): Promise<CollectedResult> {
  const { text, changed } = postgresSafeText(
    await mask(result.isWhole ? result.text : dropIncompleteWord(result.text)),
  );
  return { ...result, text, isText: result.isText && !changed };
}

/** Drops what follows the last white space of a text that goes on: half a secret does not look like one. */
function dropIncompleteWord(text: string): string {
  const end = text.slice(-MAX_WORD).search(/\s\S*$/u);
  return end === -1 ? text : text.slice(0, Math.max(0, text.length - MAX_WORD) + end);
}
