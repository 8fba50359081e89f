import { Type, type Static } from "typebox";
import { jsonCodec } from "#shared/contracts/json-codec.ts";

/** One part of an answer, in the model's order, as far as it cannot be told from the stored message. */
const LangchainStatePart = Type.Union([
  Type.Object(
    {
      /** A stretch of the answer's text, in UTF-16 units. */
      text: Type.Integer({ minimum: 0 }),
      /** What OpenAI calls the role of this stretch. */
      phase: Type.Optional(Type.String()),
    },
    { additionalProperties: false },
  ),
  /** The id under which a tool call was handed out. */
  Type.Object({ call: Type.String() }, { additionalProperties: false }),
  /** Reasoning exactly as the provider wants to see it again: signed, encrypted or redacted. */
  Type.Object({ block: Type.Record(Type.String(), Type.Unknown()) }, { additionalProperties: false }),
]);
export type LangchainStatePart = Static<typeof LangchainStatePart>;

/** Whose reasoning it is: no API takes another's. */
export type ReasoningForm = "anthropic" | "responses" | "chat";

/** Stored for as long as a session: a change of form needs a new number and a reader for the old one. */
const State = Type.Object({
  v: Type.Literal(1),
  provider: Type.Union([Type.Literal("anthropic"), Type.Literal("responses"), Type.Literal("chat")]),
  /** Reasoning is a model's own: another one may refuse it. */
  model: Type.String(),
  /** The model was asked to think. */
  thinking: Type.Boolean(),
  parts: Type.Array(LangchainStatePart),
});
export type LangchainState = Static<typeof State>;

const codec = jsonCodec("provider state", State);

/** The opaque bytes that go with an assistant message. */
export function encodeLangchainState(state: Omit<LangchainState, "v">): Buffer {
  return Buffer.from(codec.encode({ v: 1, ...state }));
}

/**
 * Reads what encodeLangchainState wrote; undefined where the bytes are empty, of another form or version, or another
 * model's: reasoning improves an answer, a conversation without it still works.
 */
export function decodeLangchainState(
  data: Uint8Array,
  { form, model }: { form: ReasoningForm; model: string },
): LangchainState | undefined {
  if (data.length === 0) return undefined;
  try {
    const state = codec.decode(data);
    return state.provider === form && state.model === model ? state : undefined;
  } catch {
    return undefined;
  }
}
