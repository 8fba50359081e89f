import { encodeEvent } from "../../../test/support/event-stream.ts";

/** One event of an answer as it is on the wire, and what of it a reader may see. */
export interface Frame {
  readonly raw: string | Buffer;
  readonly text?: string;
  readonly thinking?: string;
  /** With this event the API says that the answer is complete. */
  readonly completes?: boolean;
}

/** What a model sends, in the names of no API. A call's tool is named as the executor knows it, its arguments are JSON. */
export type Piece = { readonly text: string } | { readonly thinking: string } | { readonly call: Call };

export interface Call {
  readonly name: string;
  readonly arguments: string;
}

/** Why the model stops: done (also for its calls), out of output tokens, or blocked. */
type End = "done" | "limit" | "blocked";

/** An answer in the events of one API, from its first to its last. All report the same usage: see USAGE in adapters.ts. */
export type Format = (pieces: readonly Piece[], end?: End) => Frame[];

export type Fields = Record<string, unknown>;
type Shown = Omit<Frame, "raw">;

const sse = (value: Fields, shown: Shown = {}): Frame => ({
  raw: `data: ${JSON.stringify(value)}\n\n`,
  ...shown,
});
export const event = (type: string, fields: Fields, shown: Shown = {}): Frame => ({
  raw: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`,
  ...shown,
});
/** The name of a tool as the APIs take it. */
export const wireName = (name: string) => name.replace(".", "__");
const hasCalls = (pieces: readonly Piece[]) => pieces.some((piece) => "call" in piece);
/** Arguments arrive in pieces; the first one is often empty. */
export const parts = (json: string) => ["", json.slice(0, 7), json.slice(7)];
/** Adjacent pieces of one kind are one block of an answer; each call is a block of its own. */
export const blocksOf = (pieces: readonly Piece[]) =>
  pieces.reduce<Piece[][]>((blocks, piece) => {
    const last = blocks.at(-1)?.[0];
    const continues =
      last !== undefined &&
      (("text" in last && "text" in piece) || ("thinking" in last && "thinking" in piece));
    if (continues) blocks.at(-1)?.push(piece);
    else blocks.push([piece]);
    return blocks;
  }, []);

const GEMINI_ENDS = { done: "STOP", limit: "MAX_TOKENS", blocked: "SAFETY" };

/** Gemini: whole calls, the finish reason in the last event, the usage in every one. */
export const geminiFormat: Format = (pieces, end = "done") => {
  const usageMetadata = {
    promptTokenCount: 100,
    cachedContentTokenCount: 40,
    candidatesTokenCount: 20,
    thoughtsTokenCount: 10,
    totalTokenCount: 130,
  };
  const rest = { usageMetadata, modelVersion: "gemini-3-pro", responseId: "r1" };
  const chunk = (part: Fields, shown: Shown, finish: Fields = {}) =>
    sse({ candidates: [{ content: { parts: [part], role: "model" }, index: 0, ...finish }], ...rest }, shown);
  return [
    ...pieces.map((piece) => {
      if ("text" in piece) return chunk({ text: piece.text }, piece);
      if ("thinking" in piece) return chunk({ text: piece.thinking, thought: true }, piece);
      const { name, arguments: json } = piece.call;
      const frame = chunk(
        { functionCall: { name: wireName(name), args: "@" }, thoughtSignature: "c2ln" },
        {},
      );
      // A parsed object would lose the digits of large numbers.
      return { raw: String(frame.raw).replace('"@"', () => json) };
    }),
    chunk({ text: "" }, { completes: true }, { finishReason: GEMINI_ENDS[end] }),
  ];
};

const CHAT_ENDS = { done: "stop", limit: "length", blocked: "content_filter" };

/** Chat completions: role, deltas, calls in three pieces, the finish reason, the usage, [DONE]. `think` is a delta of thinking. */
export const chatFormat =
  (think: (text: string) => Fields = (text) => ({ reasoning_content: text })): Format =>
  (pieces, end = "done") => {
    const chunk = (choices: readonly Fields[], rest: Fields = {}, shown: Shown = {}) =>
      sse(
        { id: "c1", object: "chat.completion.chunk", created: 1, model: "gpt-4o", choices, ...rest },
        shown,
      );
    const choice = (delta: Fields, finish: string | null = null) => ({
      index: 0,
      delta,
      finish_reason: finish,
    });
    let calls = 0;
    const callPieces = ({ name, arguments: json }: Call) => {
      const index = calls++;
      return parts(json).map((args, number) => {
        const head = number === 0 ? { id: `call_${index}`, type: "function" } : {};
        const named = number === 0 ? { name: wireName(name) } : {};
        return chunk([choice({ tool_calls: [{ index, ...head, function: { ...named, arguments: args } }] })]);
      });
    };
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 30,
      total_tokens: 130,
      prompt_tokens_details: { cached_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 10 },
    };
    return [
      chunk([choice({ role: "assistant", content: "" })]),
      ...pieces.flatMap((piece) => {
        if ("text" in piece) return [chunk([choice({ content: piece.text })], {}, piece)];
        if ("thinking" in piece) return [chunk([choice(think(piece.thinking))], {}, piece)];
        return callPieces(piece.call);
      }),
      chunk(
        [choice({}, hasCalls(pieces) && end === "done" ? "tool_calls" : CHAT_ENDS[end])],
        {},
        {
          completes: true,
        },
      ),
      chunk([], { usage }),
      { raw: "data: [DONE]\n\n", completes: true },
    ];
  };

const CLAUDE_ENDS = { done: "end_turn", limit: "max_tokens", blocked: "refusal" };

/** Anthropic's messages: the input's usage first, blocks, the stop reason with the output's usage. */
export const claudeFormat: Format = (pieces, end = "done") => {
  const usage = {
    input_tokens: 30,
    cache_creation_input_tokens: 30,
    cache_read_input_tokens: 40,
    output_tokens: 1,
  };
  const head = { id: "m1", type: "message", role: "assistant", model: "claude", content: [] };
  const block = (index: number, content_block: Fields, deltas: readonly [Fields, Shown?][]) => [
    event("content_block_start", { index, content_block }),
    ...deltas.map(([delta, shown]) => event("content_block_delta", { index, delta }, shown)),
    event("content_block_stop", { index }),
  ];
  const blocks = blocksOf(pieces).flatMap((group, index) => {
    const [first] = group;
    if (first !== undefined && "call" in first) {
      const { name, arguments: json } = first.call;
      const start = { type: "tool_use", id: `toolu_${index}`, name: wireName(name), input: {} };
      return block(
        index,
        start,
        parts(json).map((partial_json) => [{ type: "input_json_delta", partial_json }]),
      );
    }
    const deltas = group.map((piece): [Fields, Shown] => {
      if ("text" in piece) return [{ type: "text_delta", text: piece.text }, piece];
      return "thinking" in piece ? [{ type: "thinking_delta", ...piece }, piece] : [{}, {}];
    });
    return first !== undefined && "text" in first
      ? block(index, { type: "text", text: "" }, deltas)
      : block(index, { type: "thinking", thinking: "", signature: "" }, [
          ...deltas,
          [{ type: "signature_delta", signature: "c2ln" }],
        ]);
  });
  const stop_reason = hasCalls(pieces) && end === "done" ? "tool_use" : CLAUDE_ENDS[end];
  const output = { output_tokens: 30, output_tokens_details: { thinking_tokens: 10 } };
  return [
    event("message_start", { message: { ...head, stop_reason: null, usage } }),
    event("ping", {}),
    ...blocks,
    event(
      "message_delta",
      { delta: { stop_reason, stop_sequence: null }, usage: output },
      { completes: true },
    ),
    event("message_stop", {}, { completes: true }),
  ];
};

const BEDROCK_ENDS = { done: "end_turn", limit: "max_tokens", blocked: "guardrail_intervened" };

/** Bedrock's ConverseStream: binary messages, the stop reason, the usage after it. */
export const bedrockFormat: Format = (pieces, end = "done") => {
  const frame = (type: string, fields: Fields, shown: Shown = {}): Frame => ({
    raw: encodeEvent(type, fields),
    ...shown,
  });
  const delta = (contentBlockIndex: number, fields: Fields, shown: Shown = {}) =>
    frame("contentBlockDelta", { contentBlockIndex, delta: fields, p: "abc" }, shown);
  const blocks = blocksOf(pieces).flatMap((group, contentBlockIndex) => [
    ...group.flatMap((piece) => {
      if ("text" in piece) return [delta(contentBlockIndex, piece, piece)];
      if ("thinking" in piece) {
        return [delta(contentBlockIndex, { reasoningContent: { text: piece.thinking } }, piece)];
      }
      const toolUse = { toolUseId: `tooluse_${contentBlockIndex}`, name: wireName(piece.call.name) };
      return [
        frame("contentBlockStart", { contentBlockIndex, start: { toolUse } }),
        ...parts(piece.call.arguments).map((input) => delta(contentBlockIndex, { toolUse: { input } })),
      ];
    }),
    frame("contentBlockStop", { contentBlockIndex }),
  ]);
  const usage = { inputTokens: 30, outputTokens: 30, totalTokens: 130, cacheReadInputTokens: 40 };
  const stopReason = hasCalls(pieces) && end === "done" ? "tool_use" : BEDROCK_ENDS[end];
  return [
    frame("messageStart", { role: "assistant", p: "abcd" }),
    ...blocks,
    frame("messageStop", { stopReason }, { completes: true }),
    frame("metadata", {
      usage: { ...usage, cacheWriteInputTokens: 30 },
      metrics: { latencyMs: 12 },
      trace: { promptRouter: { invokedModelId: "routed-model" } },
    }),
  ];
};
