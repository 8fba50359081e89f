import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";

/** The states of a scoring; those before `completed` are open. `memorizing`: the score is known, its lessons are not yet drawn. */
export const SCORE_STATUSES = [
  "pending",
  "in_progress",
  "memorizing",
  "completed",
  "failed",
  "cancelled",
] as const;
export const ScoreStatus = literals(SCORE_STATUSES);
export type ScoreStatus = Static<typeof ScoreStatus>;

/** The faults that a judge can find in an investigation. */
export const FAILURE_TAGS = [
  "premature_conclusion",
  "missed_available_tool",
  "unsupported_confidence",
  "incomplete_evidence",
  "hallucinated_evidence",
  "wrong_conclusion",
] as const;

export const MAX_SCORE = 100;

/** A score of 0 to 100. */
export const Score = Type.Integer({ minimum: 0, maximum: MAX_SCORE });
