import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const optionalString = Type.Optional(Type.String());
const optionalCount = Type.Optional(Type.Number());

const ContentBlock = Type.Object({
  type: Type.String(),
  /** The block of the answer that this piece belongs to. */
  index: Type.Optional(Type.Union([Type.Number(), Type.String()])),
  text: optionalString,
  /** A piece of Anthropic's thinking. The signature comes once, at the end. */
  thinking: optionalString,
  signature: optionalString,
  /** The content of a redacted_thinking block. */
  data: optionalString,
  /** A piece of OpenAI's reasoning summary. */
  reasoning: optionalString,
});
export type ContentBlock = Static<typeof ContentBlock>;

const ToolCallPiece = Type.Object({
  index: Type.Optional(Type.Union([Type.Number(), Type.String()])),
  id: optionalString,
  name: optionalString,
  args: optionalString,
});

/** An item of the Responses API's output; its other fields are kept and go back unchanged. */
const OutputItem = Type.Object({
  type: Type.String(),
  encrypted_content: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  phase: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** Null for tools that run at the provider. */
  call_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  content: Type.Optional(Type.Unknown()),
});
export type OutputItem = Static<typeof OutputItem>;

const LangchainUsage = Type.Object({
  input_tokens: optionalCount,
  output_tokens: optionalCount,
  total_tokens: optionalCount,
  input_token_details: Type.Optional(
    Type.Object({ cache_read: optionalCount, cache_creation: optionalCount }),
  ),
  output_token_details: Type.Optional(Type.Object({ reasoning: optionalCount })),
});
export type LangchainUsage = Static<typeof LangchainUsage>;

const LangchainChunk = Type.Object({
  content: Type.Union([Type.String(), Type.Array(ContentBlock)]),
  tool_call_chunks: Type.Optional(Type.Array(ToolCallPiece)),
  usage_metadata: Type.Optional(LangchainUsage),
  additional_kwargs: Type.Optional(
    Type.Object({
      reasoning_content: optionalString,
      /** Of a chat completion, in the order of tool_call_chunks. */
      tool_calls: Type.Optional(Type.Array(Type.Object({ extra_content: optionalString }))),
      stop_reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      /** Anthropic's words for a refusal. */
      stop_details: Type.Optional(
        Type.Union([
          Type.Object({ explanation: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
          Type.Null(),
        ]),
      ),
    }),
  ),
  response_metadata: Type.Optional(
    Type.Object({
      /** Of a chat completion. */
      finish_reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      /** Of the Responses API's last event, like the next two. */
      status: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      incomplete_details: Type.Optional(Type.Union([Type.Object({ reason: optionalString }), Type.Null()])),
      output: Type.Optional(Type.Array(OutputItem)),
    }),
  ),
});
/** The fields that the gateway reads of LangChain's message chunks, whose form the answers of all providers take. */
export type LangchainChunk = Static<typeof LangchainChunk>;

/** Checks one chunk, whose fields contain unchecked provider data. Throws TerminalError `malformed`. */
export const parseLangchainChunk = compileParser("model response", LangchainChunk);
