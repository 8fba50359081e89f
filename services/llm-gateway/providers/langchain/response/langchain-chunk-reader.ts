import { retryable, terminal } from "../../../errors/llm-error.ts";
import { parseJsonObject } from "../../../parse-json.ts";
import { CallAssembler, type AssembledCall } from "../../../tool-calls/assemble-calls.ts";
import { wholeArguments } from "../../../tool-calls/whole-arguments.ts";
import { thenUsage } from "../../then-usage.ts";
import type { Content } from "../../provider.ts";
import type { AnswerAside } from "../answer-aside.ts";
import { encodeLangchainState, type LangchainState, type LangchainStatePart } from "../langchain-state.ts";
import type { ContentBlock, LangchainChunk, OutputItem } from "./langchain-chunk.ts";
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
  /** What was heard beside the chunks. */
  readonly aside: AnswerAside;
}

type Index = ContentBlock["index"];

/**
 * Converts the chunks of one answer. `read` returns a chunk's text and thinking; `finish`, called once at the end,
 * yields the truncation note, the tool calls in the model's order, provider state and usage. Both throw TerminalError
 * or RetryableError if the answer was blocked, is empty or stopped early.
 */
export class LangchainChunkReader {
  readonly #options: LangchainChunkReaderOptions;
  readonly #assembler = new CallAssembler();
  /** The place of each call in the layout, whose id is known at the end. */
  readonly #places = new Map<AssembledCall, { call: string }>();
  readonly #thoughts = new Map<Index, Record<string, unknown>>();
  readonly #layout: LangchainStatePart[] = [];
  readonly #usage = new LangchainUsageCounter();
  #output: readonly OutputItem[] | undefined;
  #finishReason: string | undefined;
  #lastThought: Index;
  #texts = 0;
  #thinkingPieces = 0;
  #hiddenThoughts = 0;

  constructor(options: LangchainChunkReaderOptions) {
    this.#options = options;
  }

  /** True once any content has arrived, even if only hidden thinking or the start of a tool call. */
  get begun(): boolean {
    return this.#hasShown || this.#hiddenThoughts + this.#assembler.calls.length > 0;
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
    const blocks =
      typeof chunk.content === "string" ? [{ type: "text", text: chunk.content }] : chunk.content;
    for (const block of blocks) contents.push(...this.#readBlock(block));
    for (const [place, piece] of (chunk.tool_call_chunks ?? []).entries()) {
      const call = this.#assembler.add({
        ...piece,
        extra: chunk.additional_kwargs?.tool_calls?.[place]?.extra_content,
      });
      if (call !== undefined) this.#placeCall(call);
    }
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
    this.#options.aside.refuse(extra?.stop_details?.explanation ?? "");
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
    const { calls } = this.#assembler;
    const { refusal, nativeReason } = this.#options.aside;
    if (refusal !== "") throw terminal("content_blocked", `the model refused to answer: ${refusal}`);
    const { note, error } = langchainFinishVerdict({
      reason: this.#finishReason,
      nativeReason,
      answered: this.#texts > 0,
      calledTools: calls.length > 0,
      callsWhole: calls.every(({ args }, index) =>
        args.trim() === "" ? index < calls.length - 1 : wholeArguments(args) !== undefined,
      ),
      begun: this.begun,
    });
    if (error !== undefined && !this.#hasShown) throw error;
    if (!this.begun) throw retryable("provider_error", "the model's answer is empty");
    if (error === undefined && calls.some(({ name }) => name === "")) {
      throw retryable("provider_error", "the model's answer holds a tool call without a name");
    }
    if (note !== undefined) yield this.#text(note);
    if (error === undefined) {
      const ids = this.#assignIds();
      for (const call of calls) {
        const name = this.#options.decodeToolName(call.name);
        const value = {
          callId: ids.get(call) ?? "",
          name,
          arguments: wholeArguments(call.args) ?? call.args,
        };
        yield { $case: "toolCall", value };
      }
      yield* this.#state(ids);
    }
    if (error !== undefined) throw error;
  }

  /** The ids of the calls: the provider's, unless the conversation or an earlier call of the answer has it. */
  #assignIds(): ReadonlyMap<AssembledCall, string> {
    const taken = new Set(this.#options.takenIds);
    const ids = new Map<AssembledCall, string>();
    for (const call of this.#assembler.calls) {
      const callId = call.id === undefined || taken.has(call.id) ? this.#options.newId() : call.id;
      taken.add(callId);
      ids.set(call, callId);
      const place = this.#places.get(call);
      if (place !== undefined) place.call = callId;
    }
    return ids;
  }

  *#state(ids: ReadonlyMap<AssembledCall, string>): Generator<Content> {
    const { state, aside } = this.#options;
    // Of chat completions, only what belongs to a tool call is sent back.
    if (state === undefined || (state.provider === "chat" && ids.size === 0)) return;
    if (aside.details.all.length > 0) this.#layout.push({ block: { reasoning_details: aside.details.all } });
    const extras = [...ids].flatMap(([{ extra }, id]) => {
      const fields = extra === undefined ? undefined : parseJsonObject(extra);
      return fields === undefined ? [] : [[id, { extra_content: fields }]];
    });
    if (extras.length > 0) this.#layout.push({ block: { call_fields: Object.fromEntries(extras) } });
    const wireIds = Map.groupBy(ids, ([{ id }]) => id);
    const calls = new Map([...wireIds].map(([wireId, same]) => [wireId, same.map(([, callId]) => callId)]));
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

  #placeCall(call: AssembledCall): void {
    if (this.#places.has(call)) return;
    const place = { call: "" };
    this.#places.set(call, place);
    this.#layout.push(place);
  }
}
