import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { jsonCodec } from "#shared/contracts/json-codec.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

/** Maximum size of a reply's descriptions together, because a listing is one message. */
export const MAX_LISTING_BYTES = 512 * 1024;

/** executor → tool-runner: asks which tools these servers offer. An unknown server offers none. */
export const ToolListRequest = Type.Object({
  session_id: Uuid,
  execution_id: Uuid,
  server_ids: Type.Array(Type.String({ minLength: 1 })),
});
export type ToolListRequest = Static<typeof ToolListRequest>;

export const ToolDescription = Type.Object({
  /** "server.tool" */
  name: Type.String({ minLength: 3 }),
  /** The server's id: the part of `name` before the dot. */
  server: Type.String({ minLength: 1 }),
  description: Type.String(),
  /** JSON Schema of the arguments as JSON text. */
  parameters_schema: Type.String(),
  /** Only a read-only call may be repeated after a crash; any other may have had side effects. */
  read_only: Type.Boolean(),
});
export type ToolDescription = Static<typeof ToolDescription>;

export const ToolListReply = Type.Object({ tools: Type.Array(ToolDescription) });
export type ToolListReply = Static<typeof ToolListReply>;

export const toolListRequestCodec = jsonCodec("tool list request", ToolListRequest);
export const toolListReplyCodec = jsonCodec("tool list reply", ToolListReply);
