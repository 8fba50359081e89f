import { Type } from "#shared/generated/typebox/typebox.mjs";
import { jsonCodec } from "#shared/contracts/json-codec.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

/** api → executors, sent after the row is `cancelling`: the executor that runs this session stops immediately. */
const SessionCancel = Type.Object({ session_id: Uuid });

export const sessionCancelCodec = jsonCodec("session cancel", SessionCancel);
