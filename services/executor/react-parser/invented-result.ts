/** How a model begins to invent a tool result it has not seen. The text is read only up to a line with this prefix. */
export const BASED_ON = "[Based on";

/** Phrases of earlier feedback. A model that quotes them is not inventing an observation. */
const QUOTED_FEEDBACK = ["Please specify", "what Action you want to take", "Error in reasoning"];

/**
 * True if a line with an `Observation:` marker only quotes feedback; it then is ordinary text. Any other such line is
 * an invented observation and ends the text, as `BASED_ON` does.
 */
export function quotesFeedback(line: string): boolean {
  return QUOTED_FEEDBACK.some((phrase) => line.includes(phrase));
}
