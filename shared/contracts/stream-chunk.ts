import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { jsonCodec } from "#shared/contracts/json-codec.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

/**
 * A piece of a streaming timeline event's text; it is not stored. `offset` counts UTF-16 code units from the start of
 * the text, and no delta splits a surrogate pair. A chunk with a higher `attempt` than the last one restarts the text
 * at offset 0: the LLM call is being repeated.
 */
export const StreamChunk = Type.Object({
  type: Type.Literal("stream.chunk"),
  session_id: Uuid,
  event_id: Uuid,
  /** The parent of the sub-agent whose text it is; absent for other agents. */
  parent_execution_id: Type.Optional(Uuid),
  attempt: Type.Integer({ minimum: 1 }),
  offset: Type.Integer({ minimum: 0 }),
  delta: Type.String({ minLength: 1 }),
  timestamp: Type.String({ minLength: 1 }),
});
export type StreamChunk = Static<typeof StreamChunk>;

export const streamChunkCodec = jsonCodec("stream chunk", StreamChunk);

/** Maximum length of a chunk's delta, so that no message approaches the server's max_payload. */
export const MAX_DELTA_CODE_UNITS = 16 * 1024;
