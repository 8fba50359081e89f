import type { StageAnswer } from "../../next-session-step.ts";
import { formatConclusions } from "../format-context.ts";

/** What earlier stages concluded, for an agent of a later one. */
export function previousStageBlock(previous: readonly StageAnswer[]): string {
  const text =
    previous.length === 0
      ? "This is the first stage of the investigation: there are no earlier results."
      : formatConclusions(previous);
  return `## Previous Stage Data\n\n${text}`;
}
