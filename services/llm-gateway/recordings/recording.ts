import { readFile } from "node:fs/promises";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { jsonCodec } from "#shared/contracts/json-codec.ts";

const Headers = Type.Record(Type.String(), Type.String());

/** Bytes as they arrived in one piece: as text if they are UTF-8, else in base64. */
const Piece = Type.Object({
  /** Milliseconds since the request was sent. */
  at_ms: Type.Number(),
  text: Type.Optional(Type.String()),
  base64: Type.Optional(Type.String()),
});

const Recording = Type.Object({
  v: Type.Literal(1),
  recorded_at: Type.String(),
  provider: Type.String(),
  type: Type.String(),
  model: Type.String(),
  session_id: Type.String(),
  execution_id: Type.String(),
  request: Type.Object({ method: Type.String(), url: Type.String(), headers: Headers, body: Type.String() }),
  /** Absent if no response arrived. */
  response: Type.Optional(
    Type.Object({
      at_ms: Type.Number(),
      status: Type.Integer(),
      headers: Headers,
      pieces: Type.Array(Piece),
    }),
  ),
  /**
   * The end of the exchange. `complete`: with the end of the body. `left`: the gateway stopped reading, because it had the
   * whole answer or the call was over. `cut`: the connection broke in the body. `failed`: it broke before the response.
   */
  ended: Type.Union([
    Type.Literal("complete"),
    Type.Literal("left"),
    Type.Literal("cut"),
    Type.Literal("failed"),
  ]),
  ended_at_ms: Type.Number(),
  /** The code or message of the error, if there was one. */
  error: Type.Optional(Type.String()),
  /** True if bytes are missing at the end of a body. */
  truncated: Type.Boolean(),
});
/** One HTTP exchange with a provider, as it is stored. */
export type ProviderRecording = Static<typeof Recording>;

/** Encodes and decodes a recording as JSON; decoding throws TerminalError `malformed`. */
export const recordingCodec = jsonCodec("recording", Recording);

/** Reads a recording. Throws the error of reading the file, or TerminalError `malformed`. */
export async function readRecording(path: string): Promise<ProviderRecording> {
  return recordingCodec.decode(await readFile(path));
}

/** The bytes of a piece. */
export function pieceBytes({ text, base64 }: Static<typeof Piece>): Buffer {
  return text === undefined ? Buffer.from(base64 ?? "", "base64") : Buffer.from(text);
}
