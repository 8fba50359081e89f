import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { jsonCodec } from "#shared/contracts/json-codec.ts";

/** What the stored message does not tell about one part of an answer; parts are in the model's order. */
const LangchainStatePart = Type.Union([
  Type.Object(
    {
      /** Length of this part of the answer's text in code units. */
      text: Type.Integer({ minimum: 0 }),
      /** OpenAI's name for the role of this part of the text. */
      phase: Type.Optional(Type.String()),
    },
    { additionalProperties: false },
  ),
  /** A tool call's id in the stored message. */
  Type.Object({ call: Type.String() }, { additionalProperties: false }),
  /** A reasoning block to send back unchanged: signed, encrypted or redacted. */
  Type.Object({ block: Type.Record(Type.String(), Type.Unknown()) }, { additionalProperties: false }),
]);
export type LangchainStatePart = Static<typeof LangchainStatePart>;

/** The API that the reasoning came from; no API accepts another one's. */
type ReasoningForm = "anthropic" | "responses" | "chat";

/** Stored with the session: a change of this schema needs a new version number and a reader for the old version. */
const State = Type.Object({
  v: Type.Literal(1),
  provider: Type.Union([Type.Literal("anthropic"), Type.Literal("responses"), Type.Literal("chat")]),
  /** The model that produced the reasoning; another one may refuse it. */
  model: Type.String(),
  /** The model was asked to think. */
  thinking: Type.Boolean(),
  parts: Type.Array(LangchainStatePart),
});
export type LangchainState = Static<typeof State>;

const codec = jsonCodec("provider state", State);

/** The provider_state of an assistant message. */
export function encodeLangchainState(state: Omit<LangchainState, "v">): Buffer {
  return Buffer.from(codec.encode({ v: 1, ...state }));
}

/**
 * Decodes what encodeLangchainState wrote; undefined if the bytes are empty, or another API's, version's or model's.
 * The conversation then continues without the reasoning, which is optional.
 */
export function decodeLangchainState(
  data: Uint8Array | undefined,
  { form, model }: { form: ReasoningForm; model: string },
): LangchainState | undefined {
  if (data === undefined || data.length === 0) return undefined;
  try {
    const state = codec.decode(data);
    return state.provider === form && state.model === model ? state : undefined;
  } catch {
    return undefined;
  }
}
