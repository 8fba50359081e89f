import { Type, type Static } from "typebox";
import { jsonCodec } from "#shared/contracts/json-codec.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

/** All descriptions of an answer together: a listing travels in one message. */
export const MAX_LISTING_BYTES = 512 * 1024;

/** executor → tool-runner: which tools do these servers offer? A server nobody knows offers none. */
export const ToolListRequest = Type.Object({
  session_id: Uuid,
  execution_id: Uuid,
  server_ids: Type.Array(Type.String({ minLength: 1 })),
});
export type ToolListRequest = Static<typeof ToolListRequest>;

export const ToolDescription = Type.Object({
  /** "server.tool" */
  name: Type.String({ minLength: 3 }),
  /** The server's id, which is what comes before the dot. */
  server: Type.String({ minLength: 1 }),
  description: Type.String(),
  /** JSON Schema of the arguments as JSON text. */
  parameters_schema: Type.String(),
  /** A read-only call may be made again after a crash; any other may not (design decision 1). */
  read_only: Type.Boolean(),
});
export type ToolDescription = Static<typeof ToolDescription>;

export const ToolListReply = Type.Object({ tools: Type.Array(ToolDescription) });
export type ToolListReply = Static<typeof ToolListReply>;

export const toolListRequestCodec = jsonCodec("tool list request", ToolListRequest);
export const toolListReplyCodec = jsonCodec("tool list reply", ToolListReply);
