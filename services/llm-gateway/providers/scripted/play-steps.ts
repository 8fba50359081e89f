import { createHash } from "node:crypto";
import { once } from "node:events";
import type { RetryableError } from "#shared/errors.ts";
import type { UsageInfo } from "#shared/generated/llm/v1/llm.ts";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";
import { pause } from "#shared/pause.ts";
import { brokenOff as brokenOffAfterOutput } from "../../errors/broken-off.ts";
import { retryable, terminal } from "../../errors/llm-error.ts";
import { SilenceError, type StallLimits } from "../guard-stalls.ts";
import type { Content } from "../provider.ts";
import type { ScriptStep } from "#shared/agent-config/scripts/script-schema.ts";

type ScriptedError = NonNullable<ScriptStep["error"]>;

interface PlayOptions {
  readonly signal: AbortSignal;
  /** Tool call ids are derived from it: unique per execution and call, and equal when the call is repeated. */
  readonly seed: string;
  /** How long a `stall` step takes. */
  readonly stall: StallLimits;
}

/** Plays the steps in order. Throws the error that a failing step describes, or the signal's reason. */
export async function* playSteps(
  steps: readonly ScriptStep[],
  { signal, seed, stall }: PlayOptions,
): AsyncGenerator<Content> {
  let calls = 0;
  let begun = false;
  for (const step of steps) {
    for (let round = step.repeat ?? 1; round > 0; round -= 1) {
      signal.throwIfAborted();
      if (step.text !== undefined) yield* playText("text", step.text, step, signal);
      else if (step.thinking !== undefined) yield* playText("thinking", step.thinking, step, signal);
      else if (step.delay !== undefined) await pauseFor(step.delay, signal);
      else if (step.hang !== undefined) await hang(signal);
      else if (step.error !== undefined) throw scriptedError(step.error);
      else if (step.stall !== undefined) throw await stallError(begun, stall, signal);
      else if (step.reset !== undefined) throw brokenOff(begun, lostConnection());
      else if (step.garbage !== undefined) throw brokenOff(begun, unreadable());
      else yield instantContent(step, () => callId(step.tool_call?.id, `${seed}/${(calls += 1)}`));
      begun ||= step.delay === undefined;
    }
  }
}

async function* playText(
  kind: "text" | "thinking",
  text: string,
  { chunk_size: size, chunk_delay: wait }: ScriptStep,
  signal: AbortSignal,
): AsyncGenerator<Content> {
  let first = true;
  for (const content of splitText(text, size ?? text.length)) {
    if (!first && wait !== undefined) await pauseFor(wait, signal);
    first = false;
    signal.throwIfAborted();
    yield { $case: kind, value: { content } };
  }
}

function instantContent(step: ScriptStep, newId: () => string): Content {
  const { tool_call: call, code_execution: code, grounding, provider_state: state, usage } = step;
  if (call !== undefined) {
    return {
      $case: "toolCall",
      value: { callId: newId(), name: call.name, arguments: JSON.stringify(call.arguments ?? {}) },
    };
  }
  if (code !== undefined) {
    return { $case: "codeExecution", value: { code: code.code ?? "", result: code.result ?? "" } };
  }
  if (state !== undefined) return { $case: "providerState", value: { data: Buffer.from(state) } };
  if (grounding !== undefined) {
    return {
      $case: "grounding",
      value: {
        webSearchQueries: grounding.web_search_queries ?? [],
        groundingChunks: (grounding.grounding_chunks ?? []).map(({ uri, title }) => ({
          uri,
          title: title ?? "",
        })),
        groundingSupports: (grounding.grounding_supports ?? []).map((support) => ({
          startIndex: support.start_index ?? 0,
          endIndex: support.end_index ?? 0,
          text: support.text ?? "",
          groundingChunkIndices: support.grounding_chunk_indices ?? [],
        })),
        searchEntryPointHtml: grounding.search_entry_point_html ?? "",
      },
    };
  }
  return { $case: "usage", value: scriptedUsage(usage) };
}

function scriptedUsage(usage: ScriptStep["usage"] = {}): UsageInfo {
  const { input_tokens = 0, output_tokens = 0, thinking_tokens = 0 } = usage;
  const { cached_input_tokens: cachedInputTokens, cache_write_tokens: cacheWriteTokens } = usage;
  return {
    ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    thinkingTokens: thinking_tokens,
    totalTokens: input_tokens + output_tokens + thinking_tokens,
  };
}

function scriptedError({ code, message = `scripted ${code}`, ...rest }: ScriptedError): Error {
  if (rest.retryable !== true) return terminal(code, message);
  const retryAfterMs = parseDuration(rest.retry_after ?? "");
  const { keep_text: text, keep_thinking: thinking } = rest;
  const keep = { ...(text === undefined ? {} : { text }), ...(thinking === undefined ? {} : { thinking }) };
  const wait = rest.retried === false ? { estimateMs: retryAfterMs } : { retryAfterMs };
  return retryable(code, message, { ...wait, keep });
}

/** The error as the other providers report it: `partial_stream_error` once some of the answer was sent. */
function brokenOff(begun: boolean, error: RetryableError): RetryableError {
  return begun ? brokenOffAfterOutput(error) : error;
}

function lostConnection(): RetryableError {
  return retryable("provider_error", "the connection to the provider failed (ECONNRESET)");
}

function unreadable(): RetryableError {
  return retryable("provider_error", "the provider sent something that is no JSON, or nested too deeply");
}

async function stallError(begun: boolean, limits: StallLimits, signal: AbortSignal): Promise<RetryableError> {
  const limitMs = begun ? limits.betweenChunksMs : limits.firstChunkMs;
  await pause(limitMs, signal);
  return brokenOff(begun, new SilenceError(limitMs));
}

function callId(prefix: string | undefined, seed: string): string {
  return `${prefix ?? "call"}-${createHash("sha256").update(seed).digest("hex").slice(0, 16)}`;
}

async function pauseFor(duration: string, signal: AbortSignal): Promise<void> {
  const ms = parseDuration(duration) ?? 0;
  if (ms > 0) await pause(ms, signal);
}

async function hang(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
  signal.throwIfAborted();
}

/** Splits text into pieces of `size` code points; the last may be shorter. An empty text has no pieces. */
function* splitText(text: string, size: number): Generator<string> {
  let start = 0;
  let points = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (size >= text.length) break;
    if ((text.codePointAt(index) ?? 0) > 0xff_ff) index += 1;
    points += 1;
    if (points === size) {
      yield text.slice(start, index + 1);
      start = index + 1;
      points = 0;
    }
  }
  if (start < text.length) yield text.slice(start);
}
