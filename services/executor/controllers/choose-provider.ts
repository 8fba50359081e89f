import type { IterationState } from "#shared/contracts/iteration-state.ts";
import { TOOL_STRATEGIES, type ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import type { AgentState, Candidate, ChangeProvider } from "../core/agent-state.ts";

/** These have been tried several times already. */
const TRIED = new Set(["max_retries", "empty_response"]);
/** A retry cannot help, but a changed conversation may: the next call has the error in it. */
const DEPENDS_ON_CALL = new Set(["invalid_request", "internal"]);
/** No other provider would do better: the model wrote without end, or the conversation is too large for any gateway. */
const NOT_THE_PROVIDERS = new Set(["output_loop", "message_too_large"]);

/** True if a failed call with this code speaks against the provider that was called. */
export function speaksAgainstProvider(code: string): boolean {
  return !NOT_THE_PROVIDERS.has(code);
}

/** The agent as it is now: `llm_provider` is the one in use, `fallback_providers` those that can still take over. */
export function agentWithProvider(
  agent: ResolvedAgent,
  { provider }: Pick<IterationState, "provider">,
): ResolvedAgent {
  const { fallback_providers: fallbacks = [], ...rest } = agent;
  const inUse = provider === undefined ? undefined : fallbacks[provider.position - 1];
  if (provider === undefined || inUse === undefined) return agent;
  return { ...rest, llm_provider: inUse, fallback_providers: fallbacks.slice(provider.position) };
}

/** The providers that can take over from the one in use, in their order; not the one in use itself. */
export function candidates({
  llm_provider,
  fallback_providers = [],
}: Pick<ResolvedAgent, "llm_provider" | "fallback_providers">): Candidate[] {
  return fallback_providers
    .map((provider, index) => ({ provider, distance: index + 1 }))
    .filter(({ provider }) => provider.name !== llm_provider.name);
}

/** How many failed calls with this code in a row make another provider take over; Infinity if none do. */
export function failuresAllowed(code: string, retryable: boolean): number {
  if (!speaksAgainstProvider(code)) return Infinity;
  if (TRIED.has(code)) return 1;
  return retryable || DEPENDS_ON_CALL.has(code) ? 2 : 1;
}

/** The iterations that the agent has used up. */
export function usedIterations({ iteration, uncounted = 0 }: IterationState): number {
  return iteration - uncounted;
}

/** The change of providers that follows from the calls that failed, or null if there is none. */
export function changeAfterFailure({
  agent,
  iteration,
}: Pick<AgentState, "agent" | "iteration">): ChangeProvider | null {
  const { last_failed, last_error_code: code, provider_failures = 0 } = iteration;
  const [next] = candidates(agent);
  if (!last_failed || code === null || next === undefined) return null;
  const allowed = failuresAllowed(code, iteration.last_error_retryable);
  const isEnough = provider_failures >= allowed || (hasNoCallLeft(agent, iteration) && allowed !== Infinity);
  if (!isEnough) return null;
  return {
    kind: "change-provider",
    next,
    reason: iteration.last_error ?? "unknown error",
    errorCode: code,
    errorRetryable: iteration.last_error_retryable,
  };
}

/** One failure then suffices: the agent would end instead of calling again. */
function hasNoCallLeft(agent: ResolvedAgent, iteration: IterationState): boolean {
  const iterates = TOOL_STRATEGIES.some((strategy) => strategy === agent.iteration_strategy);
  if (!iterates || iteration.phase === "concluding") return true;
  return usedIterations(iteration) >= agent.max_iterations;
}

/** True if the provider in use is to be called again although its error says that a retry cannot help. */
export function asksAgain({ agent, iteration }: Pick<AgentState, "agent" | "iteration">): boolean {
  const { last_error_code: code, last_error_retryable, provider_failures = 0 } = iteration;
  if (code === null || candidates(agent).length === 0) return false;
  const allowed = failuresAllowed(code, last_error_retryable);
  return allowed !== Infinity && provider_failures < allowed;
}
