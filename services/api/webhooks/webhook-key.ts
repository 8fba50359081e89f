import type { SubmissionKey } from "../alerts/submission-key.ts";
import { sha256 } from "#shared/access/secret-equals.ts";

/** Alertmanager repeats what still fires within its retention of 5 days by default. */
const KEPT_HOURS = 14 * 24;

/**
 * The key of what a source reports, by parts that a repetition has, too, also from another of several senders. It is kept for two
 * weeks after each repetition.
 */
export function webhookKey(source: string, parts: readonly unknown[]): SubmissionKey {
  const key = sha256(JSON.stringify(["webhook", source, ...parts])).toString("hex");
  return { key, requestHash: key, conflict: undefined, keptHours: KEPT_HOURS };
}
