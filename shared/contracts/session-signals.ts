import { Type } from "#shared/generated/typebox/typebox.mjs";
import { jsonCodec } from "#shared/contracts/json-codec.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

/** api → executor: this session needs an executor. Carries only the id; everything else is in the session's row. */
const SessionWakeup = Type.Object({ session_id: Uuid });

export const sessionWakeupCodec = jsonCodec("session wake-up", SessionWakeup);

/** api → executors, sent after the row is `cancelling`: the executor that runs this session stops immediately. */
const SessionCancel = Type.Object({ session_id: Uuid });

export const sessionCancelCodec = jsonCodec("session cancel", SessionCancel);

/**
 * api → executors, sent after the commit: the inbox of this session has an entry of this number. Best effort; the owner also
 * learns it from its next commit or renewal.
 */
const InboxNotice = Type.Object({ session_id: Uuid, inbox_seq: Type.Integer({ minimum: 0 }) });

export const inboxNoticeCodec = jsonCodec("inbox notice", InboxNotice);

/** api → executors, with each sweep while it is so: these streams take no message. Best effort. */
const QueueRefusal = Type.Object({ streams: Type.Array(Type.String()) });

export const queueRefusalCodec = jsonCodec("refusal of the queue", QueueRefusal);

/** The time for which a notice holds, in milliseconds: longer than two sweeps in which every wake-up stays unanswered. */
export const QUEUE_REFUSAL_HOLDS_MS = 12_000;
