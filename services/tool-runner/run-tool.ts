import { type ToolCallOutcome, MAX_RESULT_BYTES } from "#shared/contracts/tool-call.ts";
import { isRepeatable as mayRepeat, type ToolEffect } from "#shared/contracts/tool-list.ts";
import { errorMessage } from "#shared/errors.ts";
import type { MaskedValue } from "#shared/masking/mask-context.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import { showResult, type KeptResult, type CollectedResult } from "#shared/tool-results/show-result.ts";
import type { ByteReservation } from "./byte-budget.ts";
import { CallAborted, abortedOutcome, thrownOutcome } from "./failed-outcome.ts";
import type { ProgressReport } from "./call-progress.ts";
import { readableText, withoutOwnLines } from "./readable-text.ts";
import type { CallIdentity, Tool, ToolOutput } from "./tool.ts";
import { isUtf8 } from "node:buffer";
import { KEPT_RESULT_LIMITS } from "#shared/contracts/result-sizes.ts";
import { isDatabaseRetryable } from "#shared/database/connection/database-retryable.ts";
import type { Database } from "#shared/database/database.ts";
import type { Masker } from "#shared/masking/masker.ts";
import { rulesOfServer, type MaskingRules } from "#shared/masking/masking-rules.ts";
import { readSessionMasking, type SessionMasking } from "#shared/masking/read-session-masking.ts";
import { jitter, pause } from "#shared/pause.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { ToolMetrics } from "./tool-metrics.ts";

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
  const collectOutput = async () => {
    using held = new DisposableStack();
    const { callId, executionId, epoch } = call;
    const { isError, seams, content } = await tool.call(call.args, aborted, {
      callId,
      executionId,
      epoch,
      isRepeatable,
      beforeSend,
      ...(onProgress === undefined ? {} : { onProgress }),
      holdMemory: (memoryOfOutput) => held.use(memoryOfOutput),
    });
    return { isError, seams, collected: await collectResult(content, memory) };
  };
  const work = async (): Promise<EndedCall> => {
    const { isError, seams, collected } = await collectOutput();
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

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Reads a tool's output to its end and returns its first 16 MiB as text, or at least 256 KiB while `memory` is short.
 * Memory is bounded by these limits, not by the output. Throws what the output throws.
 */
export async function collectResult(
  content: ToolOutput["content"],
  memory: Pick<ByteReservation, "grow">,
): Promise<CollectedResult> {
  const pieces: Uint8Array[] = [];
  let collected = 0;
  let total = 0;
  let limit: number = KEPT_RESULT_LIMITS.call;
  for await (const piece of content) {
    const bytes = typeof piece === "string" ? encoder.encode(piece) : piece;
    total += bytes.length;
    const wanted = Math.min(bytes.length, limit - collected);
    if (wanted <= 0) continue;
    // A gap in the middle of a text would not be seen.
    if (collected + wanted > MAX_RESULT_BYTES && !memory.grow(wanted)) {
      limit = Math.max(collected, MAX_RESULT_BYTES);
    }
    // A copy, because a subarray would keep the whole piece in memory.
    const part = Uint8Array.from(bytes.subarray(0, Math.min(wanted, limit - collected)));
    pieces.push(part);
    collected += part.length;
  }
  const received = Buffer.concat(pieces);
  const isWhole = received.length === total;
  const bytes = isWhole ? received : dropIncompleteCharacter(received);
  const { text, changed } = postgresSafeText(decoder.decode(bytes));
  return { text, totalBytes: total, isWhole, isText: !changed && isUtf8(bytes) };
}

/** Drops a character that the byte limit split, which would otherwise look like invalid input. */
function dropIncompleteCharacter(bytes: Buffer): Buffer {
  for (let dropped = 0; dropped <= 3; dropped += 1) {
    const start = bytes.subarray(0, bytes.length - dropped);
    if (isUtf8(start)) return start;
  }
  return bytes;
}

/** The text that replaces one whose masking failed. */
export const WITHHELD =
  "[This result is withheld: masking the secrets in it failed. The call itself was made; do not repeat it only for its result.]";

const RETRY_MS = 500;

/** The parts that masking needs for all calls. */
export interface CallMaskingDeps {
  readonly db: Database;
  readonly log: Logger;
  readonly masker: Masker;
  /** Keyed by server id. */
  readonly maskingRules: ReadonlyMap<string, MaskingRules>;
  readonly metrics?: Pick<ToolMetrics, "finished" | "masked">;
}

/** Masks the texts of one call, and collects the values that were masked, to be stored with its outcome. */
export class CallMasking {
  readonly #deps: CallMaskingDeps;
  readonly #sessionId: string;
  readonly #server: string;
  readonly #rules: MaskingRules;
  readonly #values: MaskedValue[] = [];

  constructor(
    deps: CallMaskingDeps,
    { sessionId, server }: { readonly sessionId: string; readonly server: string },
  ) {
    this.#deps = deps;
    this.#sessionId = sessionId;
    this.#server = server;
    this.#rules = deps.maskingRules.get(server) ?? rulesOfServer();
  }

  /**
   * Resolves with the masked text, or with WITHHELD if masking failed. Waits while Postgres is unavailable: the session's key
   * and its masked values come from there. Throws the signal's reason once it aborts.
   */
  async mask(text: string, signal: AbortSignal, seams?: readonly number[]): Promise<string> {
    if (text === "") return text;
    // Only the runner's own secrets are masked without masking, which needs nothing of the session.
    const { key, seen } = this.#rules.enabled
      ? await this.#readSession(signal)
      : { key: undefined, seen: [] };
    try {
      const masked = await this.#deps.masker.mask(text, {
        rules: this.#rules,
        key,
        seen: [...seen, ...this.#values],
        seams,
      });
      this.#values.push(...masked.values);
      this.#deps.metrics?.masked(this.#server, masked.counts);
      return masked.text;
    } catch (error) {
      signal.throwIfAborted();
      this.#deps.log.error(
        { session_id: this.#sessionId, error: errorMessage(error) },
        "tool output withheld",
      );
      return WITHHELD;
    }
  }

  /** The values masked so far that the session had not masked before. */
  values(): readonly MaskedValue[] {
    return this.#values;
  }

  async #readSession(signal: AbortSignal): Promise<SessionMasking> {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await readSessionMasking(this.#deps.db, this.#sessionId);
      } catch (error) {
        if (!isDatabaseRetryable(error)) throw error;
        this.#deps.log.warn(
          { error: errorMessage(error) },
          "tool output waits to be masked: Postgres unavailable",
        );
      }
      await pause(jitter(RETRY_MS), signal);
    }
  }
}
