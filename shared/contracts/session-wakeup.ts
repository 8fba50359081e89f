import { Type, type Static } from "typebox";
import { jsonCodec } from "#shared/contracts/json-codec.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

/** api → executor: "look at this session's row". Carries nothing else, because the row decides. */
export const SessionWakeup = Type.Object({ session_id: Uuid });
export type SessionWakeup = Static<typeof SessionWakeup>;

export const sessionWakeupCodec = jsonCodec("session wake-up", SessionWakeup);
