import type { UsageInfo } from "#shared/generated/llm/v1/llm.ts";
import { refusal, setback } from "../llm-error.ts";
import type { Content } from "../provider.ts";
import { finishVerdict } from "./finish-verdict.ts";
import type { GeminiChunk, GeminiGrounding, GeminiPart, GeminiUsage } from "./gemini-chunk.ts";
import { groundingIn } from "./grounding-in.ts";
import { encodeProviderState, type StatePart } from "./provider-state.ts";

export interface ChunkReaderOptions {
  readonly decodeToolName: (encoded: string) => string;
  /** Ids for tool calls; unique everywhere, because a call's id is what a tool runner claims. */
  readonly newId: () => string;
}

/**
 * Reads one streamed answer: `read` gives each chunk's content at once, `finish` what comes once, after the content
 * (a note, grounding, provider state, usage). Both throw TerminalError or RetryableError where the answer was
 * blocked, is empty, or stopped early.
 */
export class ChunkReader {
  readonly #options: ChunkReaderOptions;
  readonly #layout: StatePart[] = [];
  #grounding: GeminiGrounding | undefined;
  #usage: GeminiUsage | undefined;
  #finishReason: string | undefined;
  #finishMessage: string | undefined;
  #calls = 0;
  #texts = 0;
  #others = 0;

  constructor(options: ChunkReaderOptions) {
    this.#options = options;
  }

  *read(chunk: GeminiChunk): Generator<Content> {
    const blocked = chunk.promptFeedback?.blockReason;
    if (blocked !== undefined) {
      const detail = chunk.promptFeedback?.blockReasonMessage ?? "";
      throw refusal(
        "content_blocked",
        `the provider blocked the prompt (${blocked})${detail === "" ? "" : `: ${detail}`}`,
      );
    }
    this.#usage = chunk.usageMetadata ?? this.#usage;
    const candidate = chunk.candidates?.[0];
    if (candidate === undefined) return;
    for (const part of candidate.content?.parts ?? []) yield* this.#readPart(part);
    this.#grounding = candidate.groundingMetadata ?? this.#grounding;
    this.#finishReason = candidate.finishReason ?? this.#finishReason;
    this.#finishMessage = candidate.finishMessage ?? this.#finishMessage;
  }

  *finish(): Generator<Content> {
    const begun = this.#texts + this.#calls + this.#others > 0;
    const { note, error } = finishVerdict({
      reason: this.#finishReason,
      message: this.#finishMessage,
      answered: this.#texts > 0,
      calledTools: this.#calls > 0,
      begun,
    });
    if (error !== undefined && !begun) throw error;
    if (!begun) throw setback("provider_error", "the model's answer is empty");
    if (note !== undefined) yield this.#text(note, undefined);
    if (this.#grounding !== undefined) yield { $case: "grounding", value: groundingIn(this.#grounding) };
    const state = encodeProviderState(this.#layout);
    if (state !== undefined && error === undefined) yield { $case: "providerState", value: { data: state } };
    if (this.#usage !== undefined) yield { $case: "usage", value: usageIn(this.#usage) };
    if (error !== undefined) throw error;
  }

  *#readPart(part: GeminiPart): Generator<Content> {
    const { text, thoughtSignature: signature } = part;
    if (part.functionCall !== undefined) {
      yield this.#call(part.functionCall, signature);
    } else if (part.executableCode !== undefined) {
      this.#others += 1;
      yield { $case: "codeExecution", value: { code: part.executableCode.code ?? "", result: "" } };
    } else if (part.codeExecutionResult !== undefined) {
      this.#others += 1;
      const { output, outcome } = part.codeExecutionResult;
      yield { $case: "codeExecution", value: { code: "", result: output ?? outcome ?? "" } };
    } else if (part.thought === true) {
      if (text === undefined || text === "") return;
      this.#others += 1;
      yield { $case: "thinking", value: { content: text } };
    } else if (text !== undefined && (text !== "" || signature !== undefined)) {
      yield this.#text(text, signature);
    }
  }

  #text(content: string, signature: string | undefined): Content {
    if (content !== "") this.#texts += 1;
    const last = this.#layout.at(-1);
    if (last !== undefined && "text" in last && last.signature === undefined && signature === undefined) {
      last.text += content.length;
    } else {
      this.#layout.push({ text: content.length, ...(signature === undefined ? {} : { signature }) });
    }
    return { $case: "text", value: { content } };
  }

  #call(call: NonNullable<GeminiPart["functionCall"]>, signature: string | undefined): Content {
    this.#calls += 1;
    const callId = this.#options.newId();
    this.#layout.push({
      call: callId,
      ...(call.id === undefined ? {} : { provider_id: call.id }),
      ...(signature === undefined ? {} : { signature }),
    });
    const name = this.#options.decodeToolName(call.name);
    return { $case: "toolCall", value: { callId, name, arguments: JSON.stringify(call.args ?? {}) } };
  }
}

const MAX_INT32 = 2_147_483_647;

function usageIn(usage: GeminiUsage): UsageInfo {
  const inputTokens = count(usage.promptTokenCount) + count(usage.toolUsePromptTokenCount);
  const outputTokens = count(usage.candidatesTokenCount);
  const thinkingTokens = count(usage.thoughtsTokenCount);
  const total = count(usage.totalTokenCount);
  return {
    inputTokens: count(inputTokens),
    outputTokens,
    thinkingTokens,
    totalTokens: total > 0 ? total : count(inputTokens + outputTokens + thinkingTokens),
  };
}

/** The wire carries 32 bits; what does not fit must not fail the call that was answered. */
function count(value: number | undefined): number {
  return Math.min(MAX_INT32, Math.max(0, Math.trunc(value ?? 0)));
}
