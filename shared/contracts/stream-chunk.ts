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

/**
 * notifier → the executor that streams a session: asks for the text of its open events so far. Without `event_id` the
 * reply lists all open events with their text from offset 0; with it, only that event from `offset` on. The texts of
 * one reply have at most MAX_SNAPSHOT_TEXT_CODE_UNITS in total; where `length` exceeds `offset + text.length`, ask
 * again from there. Subscribe to the chunks first, then ask, then drop the overlap.
 */
export const SnapshotRequest = Type.Object({
  event_id: Type.Optional(Uuid),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type SnapshotRequest = Static<typeof SnapshotRequest>;

export const SnapshotReply = Type.Object({
  session_id: Uuid,
  streams: Type.Array(
    Type.Object({
      event_id: Uuid,
      attempt: Type.Integer({ minimum: 1 }),
      /** The offset at which `text` begins, in UTF-16 code units. */
      offset: Type.Integer({ minimum: 0 }),
      text: Type.String(),
      /** Length of the whole text so far, in UTF-16 code units; later chunks start at or before it. */
      length: Type.Integer({ minimum: 0 }),
      /** An earlier attempt of the call wrote another text. */
      repeated: Type.Boolean(),
    }),
  ),
});
export type SnapshotReply = Static<typeof SnapshotReply>;

export const snapshotRequestCodec = jsonCodec("snapshot request", SnapshotRequest);
export const snapshotReplyCodec = jsonCodec("snapshot reply", SnapshotReply);

export const MAX_SNAPSHOT_TEXT_CODE_UNITS = 128 * 1024;
