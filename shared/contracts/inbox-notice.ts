import { Type } from "#shared/generated/typebox/typebox.mjs";
import { jsonCodec } from "#shared/contracts/json-codec.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

/**
 * api → executors, sent after the commit: the inbox of this session has an entry of this number. Best effort; the owner also
 * learns it from its next commit or renewal.
 */
const InboxNotice = Type.Object({ session_id: Uuid, inbox_seq: Type.Integer({ minimum: 0 }) });

export const inboxNoticeCodec = jsonCodec("inbox notice", InboxNotice);
