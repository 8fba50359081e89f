/** Earlier feedback that a model quotes is no invented observation. */
const QUOTED_FEEDBACK = ["Please specify", "what Action you want to take", "Error in reasoning"];

/** How a model starts to make up its own reference to results it has not seen. */
export const BASED_ON = "[Based on";

/** True for a line with an `Observation:` marker that only quotes feedback, and is then text like any other. */
export function quotesFeedback(line: string): boolean {
  return QUOTED_FEEDBACK.some((phrase) => line.includes(phrase));
}
