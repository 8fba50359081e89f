import { Type, type Static } from "typebox";
import { jsonCodec } from "#shared/contracts/json-codec.ts";

/** One part of an answer, in the model's order, as far as it cannot be told from the stored message. */
const GeminiStatePart = Type.Union([
  Type.Object(
    {
      /** A stretch of the answer's text, in UTF-16 units; may be 0. */
      text: Type.Integer({ minimum: 0 }),
      signature: Type.Optional(Type.String()),
    },
    { additionalProperties: false },
  ),
  Type.Object(
    {
      /** The id under which the call was handed out. */
      call: Type.String(),
      /** Gemini's own id of the call, where it gave one. */
      provider_id: Type.Optional(Type.String()),
      signature: Type.Optional(Type.String()),
    },
    { additionalProperties: false },
  ),
]);
export type GeminiStatePart = Static<typeof GeminiStatePart>;

/** Stored for as long as a session: a change of form needs a new number and a reader for the old one. */
const State = Type.Object({
  v: Type.Literal(1),
  provider: Type.Literal("google"),
  parts: Type.Array(GeminiStatePart),
});

const codec = jsonCodec("provider state", State);

/** The opaque bytes that go with an assistant message; undefined where there is nothing the provider wants back. */
export function encodeGeminiState(parts: readonly GeminiStatePart[]): Buffer | undefined {
  const needed = parts.some(
    (part) => part.signature !== undefined || ("call" in part && part.provider_id !== undefined),
  );
  return needed ? Buffer.from(codec.encode({ v: 1, provider: "google", parts: [...parts] })) : undefined;
}

/** Reads what encodeGeminiState wrote; no parts where the bytes are empty or another provider's or version's. */
export function decodeGeminiState(data: Uint8Array): GeminiStatePart[] {
  if (data.length === 0) return [];
  try {
    return codec.decode(data).parts;
  } catch {
    return []; // signatures improve an answer; a conversation without them still works
  }
}
