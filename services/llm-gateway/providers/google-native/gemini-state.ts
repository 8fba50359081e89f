import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { jsonCodec } from "#shared/contracts/json-codec.ts";

/** What the stored message does not tell about one part of an answer; parts are in the model's order. */
const GeminiStatePart = Type.Union([
  Type.Object(
    {
      /** Length of this part of the answer's text in code units; may be 0. */
      text: Type.Integer({ minimum: 0 }),
      signature: Type.Optional(Type.String()),
    },
    { additionalProperties: false },
  ),
  Type.Object(
    {
      /** The call's id in the stored message. */
      call: Type.String(),
      /** Gemini's id of the call, if it gave one. */
      provider_id: Type.Optional(Type.String()),
      signature: Type.Optional(Type.String()),
    },
    { additionalProperties: false },
  ),
]);
export type GeminiStatePart = Static<typeof GeminiStatePart>;

/** Stored with the session: a change of this schema needs a new version number and a reader for the old version. */
const State = Type.Object({
  v: Type.Literal(1),
  provider: Type.Literal("google"),
  parts: Type.Array(GeminiStatePart),
});

const codec = jsonCodec("provider state", State);

/** The provider_state of an assistant message; undefined if there is nothing to send back to Gemini. */
export function encodeGeminiState(parts: readonly GeminiStatePart[]): Buffer | undefined {
  const needed = parts.some(
    (part) => part.signature !== undefined || ("call" in part && part.provider_id !== undefined),
  );
  return needed ? Buffer.from(codec.encode({ v: 1, provider: "google", parts: [...parts] })) : undefined;
}

/** Decodes what encodeGeminiState wrote; empty if the bytes are empty, another provider's or another version's. */
export function decodeGeminiState(data: Uint8Array | undefined): GeminiStatePart[] {
  if (data === undefined || data.length === 0) return [];
  try {
    return codec.decode(data).parts;
  } catch {
    return []; // signatures are optional: they improve the next answer
  }
}
