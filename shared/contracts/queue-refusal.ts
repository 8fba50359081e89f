import { Type } from "#shared/generated/typebox/typebox.mjs";
import { jsonCodec } from "#shared/contracts/json-codec.ts";

/** api → executors, with each sweep while it is so: these streams take no message. Best effort. */
const QueueRefusal = Type.Object({ streams: Type.Array(Type.String()) });

export const queueRefusalCodec = jsonCodec("refusal of the queue", QueueRefusal);

/** The time for which a notice holds, in milliseconds: longer than two sweeps in which every wake-up stays unanswered. */
export const QUEUE_REFUSAL_HOLDS_MS = 12_000;
