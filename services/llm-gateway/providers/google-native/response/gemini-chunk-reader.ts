import { retryable, terminal } from "../../../errors/llm-error.ts";
import { thenUsage } from "../../then-usage.ts";
import type { Content } from "../../provider.ts";
import { encodeGeminiState, type GeminiStatePart } from "../gemini-state.ts";
import type { AssignCallId } from "./assign-call-ids.ts";
import type {
  GeminiChunk,
  GeminiGrounding,
  GeminiPart,
  GeminiUrlContext,
  GeminiUsage,
} from "./gemini-chunk.ts";
import { geminiFinishVerdict } from "./gemini-finish-verdict.ts";
import { geminiGrounding } from "./gemini-grounding.ts";
import { addUsage, geminiUsage, NO_USAGE } from "./gemini-usage.ts";
import { CallJoiner, type WholeCall } from "./join-call-parts.ts";

interface GeminiChunkReaderOptions {
  readonly decodeToolName: (encoded: string) => string;
  /** Assigns the id of each tool call. */
  readonly callId: AssignCallId;
}

/**
 * Converts the chunks of one answer. `read` yields a chunk's content; `finish`, called once at the end, yields the
 * truncation note, tool calls, grounding, provider state and usage. Both throw TerminalError or RetryableError if the answer was
 * blocked, is empty or stopped early.
 */
export class GeminiChunkReader {
  readonly #options: GeminiChunkReaderOptions;
  readonly #layout: GeminiStatePart[] = [];
  readonly #joiner = new CallJoiner();
  #grounding: GeminiGrounding | undefined;
  #urlContext: GeminiUrlContext | undefined;
  #usage: GeminiUsage | undefined;
  /** Usage of the earlier responses of this answer, if Gemini splits it into several. */
  #usageBefore = NO_USAGE;
  #finishReason: string | undefined;
  #finishMessage: string | undefined;
  #continuationToken: string | undefined;
  /** Held back until the answer has ended: whether a call counts is only known then. */
  readonly #calls: Content[] = [];
  #texts = 0;
  #others = 0;

  constructor(options: GeminiChunkReaderOptions) {
    this.#options = options;
  }

  *read(chunk: GeminiChunk): Generator<Content> {
    const blocked = chunk.promptFeedback?.blockReason;
    if (blocked !== undefined) {
      const detail = chunk.promptFeedback?.blockReasonMessage ?? "";
      throw terminal(
        "content_blocked",
        `the provider blocked the prompt (${blocked})${detail === "" ? "" : `: ${detail}`}`,
      );
    }
    this.#usage = chunk.usageMetadata ?? this.#usage;
    const candidate = chunk.candidates?.[0];
    if (candidate === undefined) return;
    for (const part of candidate.content?.parts ?? []) yield* this.#readPart(part);
    this.#grounding = candidate.groundingMetadata ?? this.#grounding;
    this.#urlContext = candidate.urlContextMetadata ?? this.#urlContext;
    this.#continuationToken = candidate.continuationToken ?? this.#continuationToken;
    this.#finishReason = candidate.finishReason ?? this.#finishReason;
    this.#finishMessage = candidate.finishMessage ?? this.#finishMessage;
  }

  /** To be called after each response: the token for the next request, or undefined if the answer is complete. */
  takeContinuation(): string | undefined {
    const token = this.#continuationToken;
    if (token === undefined || (this.#finishReason ?? "CONTINUATION") !== "CONTINUATION") return undefined;
    this.#usageBefore = addUsage(this.#usageBefore, geminiUsage(this.#usage));
    this.#usage = undefined;
    this.#continuationToken = undefined;
    this.#finishReason = undefined;
    return token;
  }

  *finish(): Generator<Content> {
    yield* thenUsage(this.#end(), () => this.usage(), this.#texts + this.#others > 0);
  }

  /** The usage reported so far, if any: also of an answer that broke off. */
  *usage(): Generator<Content> {
    const usage = addUsage(this.#usageBefore, geminiUsage(this.#usage));
    if (usage.totalTokens > 0) yield { $case: "usage", value: usage };
  }

  get #begun(): boolean {
    return this.#texts + this.#calls.length + this.#others > 0;
  }

  *#end(): Generator<Content> {
    if (this.#joiner.isOpen) {
      throw retryable("partial_stream_error", "the answer broke off inside a function call");
    }
    const begun = this.#begun;
    const { note, error } = geminiFinishVerdict({
      reason: this.#finishReason,
      message: this.#finishMessage,
      answered: this.#texts > 0,
      calledTools: this.#calls.length > 0,
      begun,
    });
    if (error !== undefined && this.#texts + this.#others === 0) throw error;
    if (!begun) throw retryable("provider_error", "the model's answer is empty");
    if (note !== undefined) yield this.#text(note, undefined);
    if (this.#grounding !== undefined || this.#urlContext !== undefined) {
      yield { $case: "grounding", value: geminiGrounding(this.#grounding ?? {}, this.#urlContext ?? {}) };
    }
    if (error === undefined) yield* this.#calls;
    const state = encodeGeminiState(this.#layout);
    if (state !== undefined && error === undefined) yield { $case: "providerState", value: { data: state } };
    if (error !== undefined) throw error;
  }

  *#readPart(part: GeminiPart): Generator<Content> {
    const { text, thoughtSignature: signature } = part;
    if (part.functionCall !== undefined) {
      const call = this.#joiner.add(part.functionCall, signature);
      if (call !== undefined) this.#calls.push(this.#call(call));
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
    } else if (text !== undefined && text !== "") {
      yield this.#text(text, signature);
    } else if (signature !== undefined) {
      this.#layout.push({ text: 0, signature }); // Gemini may end an answer with an empty part that has a signature
    }
  }

  #text(content: string, signature: string | undefined): Content {
    this.#texts += 1;
    const last = this.#layout.at(-1);
    if (last !== undefined && "text" in last && last.signature === undefined && signature === undefined) {
      last.text += content.length;
    } else {
      this.#layout.push({ text: content.length, ...(signature === undefined ? {} : { signature }) });
    }
    return { $case: "text", value: { content } };
  }

  #call({ id, name: encoded, args, signature }: WholeCall): Content {
    const name = this.#options.decodeToolName(encoded);
    const json = JSON.stringify(args);
    const callId = this.#options.callId(id, { index: this.#calls.length, name, arguments: json });
    this.#layout.push({
      call: callId,
      ...(id === undefined ? {} : { provider_id: id }),
      ...(signature === undefined ? {} : { signature }),
    });
    return { $case: "toolCall", value: { callId, name, arguments: json } };
  }
}
