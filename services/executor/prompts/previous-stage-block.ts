import { formatConclusions, formatParallelResults } from "./format-context.ts";
import type { PromptInput } from "./prompt-input.ts";

/**
 * The answers of earlier stages and, for a synthesis, the results of the stage's parallel agents. `fallback` is the
 * text if there are neither.
 */
export function previousStageBlock(
  { previous, parallel, alert: { nonce } }: Pick<PromptInput, "previous" | "parallel" | "alert">,
  fallback = "This is the first stage of the investigation: there are no earlier results.",
): string {
  const earlier = previous.length === 0 ? [] : [formatConclusions(previous, nonce)];
  const results = parallel === null ? [] : [formatParallelResults(parallel, nonce)];
  const found = [...earlier, ...results];
  return ["## Previous Stage Data", ...(found.length === 0 ? [fallback] : found)].join("\n\n");
}
