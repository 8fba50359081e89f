import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";

/** What a model has replied to a question that was asked outside of a session; a line of the file of replies. */
export const Reply = Type.Object({
  /** The hash of the question, the model and its settings. */
  key: Type.String(),
  /** The provider and its model. */
  model: Type.String(),
  /** The model that the provider says has answered; absent if it named none. */
  answered_by: Type.Optional(Type.String()),
  /** When it came; ISO 8601. */
  at: Type.String(),
  text: Type.String(),
  /** Null if the model has no price. */
  cost_usd: Type.Union([Type.Number(), Type.Null()]),
});
export type Reply = Static<typeof Reply>;

/** Reads a line of the file of replies. Throws TerminalError `malformed`. */
export const parseReply = compileParser("reply of a model", Reply);
