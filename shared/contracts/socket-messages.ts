import { Type } from "#shared/generated/typebox/typebox.mjs";
import { ExecutionProgress, ToolProgress } from "#shared/contracts/live-progress.ts";
import { StreamChunk } from "#shared/contracts/stream-chunk.ts";
import { WireEventSchema } from "#shared/contracts/wire-event.ts";

const Channel = Type.String({
  pattern: "^(?:sessions|session:.+)$",
  description: "`session:<session id>`, or `sessions` for the status of all visible sessions",
});
const Seq = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });
const Cursor = Type.Integer({ minimum: 0 });

/** The messages that clients send on `/ws`, by the name of the message. */
export const CLIENT_MESSAGES = {
  subscribe: Type.Object({
    action: Type.Literal("subscribe"),
    channel: Channel,
    after_seq: Type.Optional(Seq),
    last_event_id: Type.Optional(Cursor),
  }),
  unsubscribe: Type.Object({ action: Type.Literal("unsubscribe"), channel: Channel }),
  catchup: Type.Object({ action: Type.Literal("catchup"), channel: Channel, last_event_id: Cursor }),
  ping: Type.Object({ action: Type.Literal("ping") }),
};

/** The messages that the notifier sends on `/ws`, by the name of the message. */
export const NOTIFIER_MESSAGES = {
  connectionEstablished: Type.Object({
    type: Type.Literal("connection.established"),
    connection_id: Type.String(),
  }),
  subscriptionConfirmed: Type.Object({
    type: Type.Literal("subscription.confirmed"),
    channel: Type.String(),
    after_seq: Type.Optional(Seq),
  }),
  catchupOverflow: Type.Object({
    type: Type.Literal("catchup.overflow"),
    channel: Type.String(),
    has_more: Type.Literal(true),
  }),
  pong: Type.Object({ type: Type.Literal("pong") }),
  error: Type.Object({
    type: Type.Literal("error"),
    message: Type.String(),
    channel: Type.Optional(Type.String()),
    code: Type.Optional(Type.Union([Type.Literal("events_purged"), Type.Literal("events_lost")])),
  }),
  storedEvent: WireEventSchema,
  streamChunk: StreamChunk,
  toolProgress: ToolProgress,
  executionProgress: ExecutionProgress,
};
