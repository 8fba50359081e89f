import { Type, type Static } from "typebox";
import { jsonCodec } from "#shared/contracts/json-codec.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

/** executor → tool-runner: one call, named by its id and fenced by the caller's lease epoch. */
export const ToolCallRequest = Type.Object({
  call_id: Type.String({ minLength: 1, maxLength: 200 }),
  session_id: Uuid,
  execution_id: Uuid,
  epoch: Type.Integer({ minimum: 1 }),
  /** "server.tool" */
  name: Type.String({ minLength: 1, maxLength: 200 }),
  /** As the model wrote them; JSON text for structured calls. */
  arguments: Type.String(),
  /** RFC 3339; the runner gives up then and says so. */
  deadline: Type.String({ minLength: 1 }),
});
export type ToolCallRequest = Static<typeof ToolCallRequest>;

export const ToolCallReply = Type.Object({
  call_id: Type.String(),
  content: Type.String(),
  /** True when the tool itself reported failure; the content then says what. */
  is_error: Type.Boolean(),
});
export type ToolCallReply = Static<typeof ToolCallReply>;

export const toolCallRequestCodec = jsonCodec("tool call request", ToolCallRequest);
export const toolCallReplyCodec = jsonCodec("tool call reply", ToolCallReply);
