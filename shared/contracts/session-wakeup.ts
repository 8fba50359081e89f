import { Type } from "#shared/generated/typebox/typebox.mjs";
import { jsonCodec } from "#shared/contracts/json-codec.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

/** api → executor: this session needs an executor. Carries only the id; everything else is in the session's row. */
const SessionWakeup = Type.Object({ session_id: Uuid });

export const sessionWakeupCodec = jsonCodec("session wake-up", SessionWakeup);
