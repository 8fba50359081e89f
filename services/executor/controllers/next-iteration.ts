import { forcedConclusionPrompt } from "../prompts/iteration-prompts.ts";
import { asksAgain, changeAfterFailure, usedIterations } from "./choose-provider.ts";
import { failed, type AgentState, type AgentStep, type CallLlm } from "../core/agent-state.ts";

const MAX_CONSECUTIVE_TIMEOUTS = 2;
/** Of failed calls in a row, the last of which only repeated itself: each is paid for, and asking again has not helped. */
const MAX_CALLS_BEFORE_LOOP = 3;

/**
 * The start of an iteration, shared by the iterating controllers: lets another provider take over, fails after two LLM timeouts
 * in a row, three calls in a row whose last answer only repeated itself, or an error that no retry can fix, requests a conclusion at the iteration limit, and otherwise returns `call`,
 * the controller's ordinary call.
 */
export function nextIteration(state: AgentState, call: CallLlm): AgentStep {
  const { agent, iteration } = state;
  const { last_failed, last_error, last_error_code, consecutive_failures, consecutive_timeouts } = iteration;
  const limit = agent.max_iterations;
  const used = usedIterations(iteration);
  const change = changeAfterFailure(state);
  if (change !== null) return change;
  const error = last_error ?? "unknown error";
  if (iteration.phase === "concluding") {
    if (last_failed) return failed(state, `forced conclusion LLM call failed: ${error}`);
    return { ...call, interaction: "forced_conclusion", tools: [], afterFailure: null };
  }
  if (consecutive_timeouts >= MAX_CONSECUTIVE_TIMEOUTS) {
    const next = `${used + 1}/${limit}`;
    return failed(
      state,
      `aborted after ${consecutive_timeouts} consecutive timeouts (iteration ${next}): ${error}`,
    );
  }
  if (last_error_code === "output_loop" && consecutive_failures >= MAX_CALLS_BEFORE_LOOP) {
    return failed(state, `aborted after ${consecutive_failures} failed calls in a row: ${error}`);
  }
  if (last_failed && !iteration.last_error_retryable && !asksAgain(state)) return failed(state, error);
  if (used < limit) return call;
  if (last_failed) {
    return failed(state, `max iterations (${limit}) reached with last interaction failed: ${error}`);
  }
  return {
    kind: "append-user-message",
    content: forcedConclusionPrompt(agent, used),
    concluding: true,
  };
}
