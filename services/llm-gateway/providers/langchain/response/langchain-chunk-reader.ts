import { retryable, terminal } from "../../../errors/llm-error.ts";
import { thenUsage } from "../../then-usage.ts";
import { parseJson } from "../../../parse-json.ts";
import type { Content } from "../../provider.ts";
import { encodeLangchainState, type LangchainState, type LangchainStatePart } from "../langchain-state.ts";
import type { ContentBlock, LangchainChunk, OutputItem, ToolCallPiece } from "./langchain-chunk.ts";
import { langchainFinishVerdict } from "./langchain-finish-verdict.ts";
import { LangchainUsageCounter } from "./langchain-usage.ts";
import { responsesLayout } from "./responses-layout.ts";

interface LangchainChunkReaderOptions {
  readonly decodeToolName: (encoded: string) => string;
  /** For a tool call without an id, or with one that the conversation already uses. */
  readonly newId: () => string;
  /** Tool call ids that the conversation already uses. */
  readonly takenIds: Iterable<string>;
  /** What to store in the provider state; undefined if the provider wants nothing back. */
  readonly state: Omit<LangchainState, "v" | "parts"> | undefined;
}

interface OpenCall {
  readonly callId: string;
  readonly wireId: string | undefined;
  name: string;
  args: string;
}

type Index = ContentBlock["index"];

/** In code units, of all calls of an answer; real arguments are nowhere near this long. */
const MAX_ARGS_LENGTH = 8 * 1024 * 1024;

/**
 * Converts the chunks of one answer. `read` returns a chunk's text and thinking; `finish`, called once at the end,
 * yields the truncation note, the tool calls in the model's order, provider state and usage. Both throw TerminalError
 * or RetryableError if the answer was blocked, is empty or stopped early.
 */
export class LangchainChunkReader {
  readonly #options: LangchainChunkReaderOptions;
  readonly #takenIds: Set<string>;
  readonly #calls = new Map<Index, OpenCall>();
  readonly #thoughts = new Map<Index, Record<string, unknown>>();
  readonly #layout: LangchainStatePart[] = [];
  readonly #usage = new LangchainUsageCounter();
  #output: readonly OutputItem[] | undefined;
  #finishReason: string | undefined;
  #refusal: string | undefined;
  #lastThought: Index;
  #texts = 0;
  #thinkingPieces = 0;
  #hiddenThoughts = 0;
  #argsLength = 0;

  constructor(options: LangchainChunkReaderOptions) {
    this.#options = options;
    this.#takenIds = new Set(options.takenIds);
  }

  /** True once any content has arrived, even if only hidden thinking or the start of a tool call. */
  get begun(): boolean {
    return this.#hasShown || this.#hiddenThoughts + this.#calls.size > 0;
  }

  /** True once text or thinking was passed on; an answer that fails before that may be asked for again. */
  get #hasShown(): boolean {
    return this.#texts + this.#thinkingPieces > 0;
  }

  read(chunk: LangchainChunk): Content[] {
    const contents: Content[] = [];
    const reasoning = chunk.additional_kwargs?.reasoning_content ?? "";
    if (reasoning !== "") {
      const thought = this.#thought(undefined, { reasoning_content: "" });
      thought["reasoning_content"] = `${String(thought["reasoning_content"])}${reasoning}`;
      contents.push(this.#thinking(reasoning, undefined));
    }
    const details = chunk.additional_kwargs?.reasoning_details;
    if (details !== undefined) this.#layout.push({ block: { reasoning_details: details } });
    const blocks =
      typeof chunk.content === "string" ? [{ type: "text", text: chunk.content }] : chunk.content;
    for (const block of blocks) contents.push(...this.#readBlock(block));
    for (const piece of chunk.tool_call_chunks ?? []) this.#readCall(piece);
    this.#readMetadata(chunk);
    return contents;
  }

  /** Reads the fields whose last value counts. */
  #readMetadata({
    additional_kwargs: extra,
    response_metadata: metadata,
    usage_metadata: usage,
  }: LangchainChunk): void {
    if (usage !== undefined) this.#usage.add(usage);
    if (extra?.usage !== undefined) this.#usage.addAnthropic(extra.usage);
    this.#refusal = extra?.refusal ?? this.#refusal;
    this.#output = metadata?.output ?? this.#output;
    const reasons = [
      metadata?.finish_reason,
      extra?.stop_reason,
      metadata?.incomplete_details?.reason,
      metadata?.status,
    ];
    this.#finishReason = reasons.find((reason) => typeof reason === "string") ?? this.#finishReason;
  }

  *finish(): Generator<Content> {
    yield* thenUsage(this.#end(), () => this.usage(), this.#hasShown);
  }

  /** The usage reported so far, if any: also of an answer that broke off. */
  *usage(): Generator<Content> {
    const usage = this.#usage.result();
    if (usage !== undefined) yield { $case: "usage", value: usage };
  }

  *#end(): Generator<Content> {
    const calls = [...this.#calls.values()];
    const { note, error } = langchainFinishVerdict({
      reason: this.#finishReason,
      answered: this.#texts > 0,
      calledTools: calls.length > 0,
      callsWhole: calls.every(({ args }, index) =>
        args.trim() === "" ? index < calls.length - 1 : parseJson(args) !== undefined,
      ),
      begun: this.begun,
    });
    if (error !== undefined && !this.#hasShown) throw error;
    if (this.#refusal !== undefined) {
      throw terminal("content_blocked", `the model refused to answer: ${this.#refusal}`);
    }
    if (!this.begun) throw retryable("provider_error", "the model's answer is empty");
    if (error === undefined && calls.some(({ name }) => name === "")) {
      throw retryable("provider_error", "the model's answer holds a tool call without a name");
    }
    if (note !== undefined) yield this.#text(note);
    if (error === undefined) {
      for (const { callId, name, args } of calls) {
        yield { $case: "toolCall", value: { callId, name, arguments: args.trim() === "" ? "{}" : args } };
      }
      yield* this.#state();
    }
    if (error !== undefined) throw error;
  }

  *#state(): Generator<Content> {
    const { state } = this.#options;
    // Of chat completions, only reasoning before a tool call is sent back.
    if (state === undefined || (state.provider === "chat" && this.#calls.size === 0)) return;
    const calls = new Map([...this.#calls.values()].map(({ wireId, callId }) => [wireId, callId]));
    const layout = this.#output === undefined ? this.#layout : responsesLayout(this.#output, calls);
    // Anthropic refuses thinking without a signature.
    const parts = layout.filter((part) => !("block" in part && part.block["signature"] === ""));
    // An answer of text alone can be rebuilt from the message.
    const isPlain = (part: LangchainStatePart) =>
      state.provider === "chat" ? !("block" in part) : "text" in part && part.phase === undefined;
    if (parts.every(isPlain)) return;
    yield { $case: "providerState", value: { data: encodeLangchainState({ ...state, parts }) } };
  }

  *#readBlock(block: ContentBlock): Generator<Content> {
    const { type, index, text, thinking, reasoning } = block;
    if (type === "text") {
      if (text !== undefined && text !== "") yield this.#text(text);
    } else if (type === "reasoning") {
      if (reasoning !== undefined && reasoning !== "") yield this.#thinking(reasoning, index);
    } else if (type === "thinking") {
      const thought = this.#thought(index, { type, thinking: "", signature: "" });
      thought["thinking"] = `${String(thought["thinking"])}${thinking ?? ""}`;
      thought["signature"] = `${String(thought["signature"])}${block.signature ?? ""}`;
      if (thinking !== undefined && thinking !== "") yield this.#thinking(thinking, index);
    } else if (type === "redacted_thinking") {
      this.#hiddenThoughts += 1;
      this.#thought(index, { type, data: block.data ?? "" });
    }
  }

  #text(content: string): Content {
    this.#texts += 1;
    const last = this.#layout.at(-1);
    if (last !== undefined && "text" in last) last.text += content.length;
    else this.#layout.push({ text: content.length });
    return { $case: "text", value: { content } };
  }

  /** A blank line separates consecutive thinking blocks that are shown. */
  #thinking(content: string, index: Index): Content {
    const isNext = this.#thinkingPieces > 0 && this.#lastThought !== index;
    this.#thinkingPieces += 1;
    this.#lastThought = index;
    return { $case: "thinking", value: { content: isNext ? `\n\n${content}` : content } };
  }

  #thought(index: Index, begin: Record<string, unknown>): Record<string, unknown> {
    const known = this.#thoughts.get(index);
    if (known !== undefined) return known;
    this.#thoughts.set(index, begin);
    this.#layout.push({ block: begin });
    return begin;
  }

  #readCall({ index, id, name, args }: ToolCallPiece): void {
    // The arguments of a tool that runs at the provider arrive without their call.
    if (!this.#calls.has(index) && id === undefined && name === undefined) return;
    const call = this.#calls.get(index) ?? this.#openCall(index, id);
    if (name !== undefined && name !== "") call.name = this.#options.decodeToolName(name);
    call.args += args ?? "";
    this.#argsLength += args?.length ?? 0;
    if (this.#argsLength > MAX_ARGS_LENGTH) {
      throw retryable("provider_error", "the arguments of the model's tool calls have no end");
    }
  }

  #openCall(index: Index, wireId: string | undefined): OpenCall {
    const isFree = wireId !== undefined && wireId !== "" && !this.#takenIds.has(wireId);
    const callId = isFree ? wireId : this.#options.newId();
    this.#takenIds.add(callId);
    const call = { callId, wireId, name: "", args: "" };
    this.#calls.set(index, call);
    this.#layout.push({ call: callId });
    return call;
  }
}
