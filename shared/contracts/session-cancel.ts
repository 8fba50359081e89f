import { Type, type Static } from "typebox";
import { jsonCodec } from "#shared/contracts/json-codec.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

/** api → executors, after the row says `cancelling`: whoever runs this session stops at once. */
export const SessionCancel = Type.Object({ session_id: Uuid });
export type SessionCancel = Static<typeof SessionCancel>;

export const sessionCancelCodec = jsonCodec("session cancel", SessionCancel);
