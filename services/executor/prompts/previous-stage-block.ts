import { formatConclusions, formatParallelResults } from "./format-context.ts";
import type { PromptInput } from "./prompt-input.ts";

/**
 * What was found before: what earlier stages concluded, and for the agent that combines the results of its stage's other
 * agents, what those came to. `otherwise` is said where there is neither.
 */
export function previousStageBlock(
  { previous, parallel }: Pick<PromptInput, "previous" | "parallel">,
  otherwise = "This is the first stage of the investigation: there are no earlier results.",
): string {
  const earlier = previous.length === 0 ? [] : [formatConclusions(previous)];
  const results = parallel === null ? [] : [formatParallelResults(parallel)];
  const found = [...earlier, ...results];
  return ["## Previous Stage Data", ...(found.length === 0 ? [otherwise] : found)].join("\n\n");
}
