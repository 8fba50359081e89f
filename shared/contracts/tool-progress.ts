import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { Uuid } from "#shared/contracts/uuid.ts";

/**
 * executor → notifier → clients: what a running tool call has reached. It is not stored and not repeated. `event_id` is the
 * call's timeline event `llm_tool_call`, which is complete already.
 */
export const ToolProgress = Type.Object({
  type: Type.Literal("tool.progress"),
  session_id: Uuid,
  execution_id: Uuid,
  event_id: Uuid,
  progress: Type.Number(),
  total: Type.Optional(Type.Number()),
  /** Masked. */
  message: Type.Optional(Type.String({ maxLength: 1_000 })),
  timestamp: Type.String({ minLength: 1 }),
});
export type ToolProgress = Static<typeof ToolProgress>;
