import { Type, type Static } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const SenderTask = Type.Object({
  sessionId: Type.String(),
  /** The open timeline event whose text the tokens are. */
  eventId: Type.String(),
  perSecond: Type.Number({ exclusiveMinimum: 0 }),
  tokens: Type.Integer({ minimum: 1 }),
});
/** What `sender-process.ts` is to send. */
export type SenderTask = Static<typeof SenderTask>;
export const parseSenderTask = compileParser("sender's task", SenderTask);

/** The ways to send: as an executor does, by NOTIFY in batches, or to a minimal server that writes to all clients. */
export type SenderKind = "executor" | "notify" | "plain";
