import { forcedConclusionPrompt } from "../prompts/forced-conclusion-prompt.ts";
import type { AgentState, AgentStep, CallLlm } from "./controller.ts";
import { failed } from "./conclude.ts";

const MAX_CONSECUTIVE_TIMEOUTS = 2;

/**
 * What both iterating strategies do at the top of an iteration: give up after two timeouts in a row or an error that
 * trying again cannot mend, ask for a conclusion when the limit is reached, else ask the model. `ask` is the strategy's
 * ordinary call.
 */
export function nextIteration(state: AgentState, ask: CallLlm): AgentStep {
  const { agent, iteration } = state;
  const { last_failed, last_error, consecutive_timeouts } = iteration;
  const limit = agent.max_iterations;
  const error = last_error ?? "unknown error";
  if (iteration.phase === "concluding") {
    if (last_failed) return failed(state, `forced conclusion LLM call failed: ${error}`);
    return { ...ask, interaction: "forced_conclusion", tools: [], afterFailure: null };
  }
  if (consecutive_timeouts >= MAX_CONSECUTIVE_TIMEOUTS) {
    const next = `${iteration.iteration + 1}/${limit}`;
    return failed(
      state,
      `aborted after ${consecutive_timeouts} consecutive timeouts (iteration ${next}): ${error}`,
    );
  }
  if (last_failed && !iteration.last_error_retryable) return failed(state, error);
  if (iteration.iteration < limit) return ask;
  if (last_failed) {
    return failed(state, `max iterations (${limit}) reached with last interaction failed: ${error}`);
  }
  return {
    kind: "tell",
    content: forcedConclusionPrompt(agent.iteration_strategy, iteration.iteration),
    concluding: true,
  };
}
