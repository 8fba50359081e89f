import type { IterationState } from "#shared/contracts/iteration-state.ts";
import type { ResolvedProvider, ResolvedSummaries } from "#shared/contracts/resolved-chain.ts";
import { candidates } from "../../controllers/choose-provider.ts";
import type { AgentState } from "../../core/agent-state.ts";

/** The providers that can write a summary, in their order, and which of them is next. */
export interface Summarizers {
  readonly list: readonly [ResolvedProvider, ...ResolvedProvider[]];
  /** Its position in the list. */
  readonly position: number;
}

/**
 * The named provider, or the agent's own, then those that can take over from the agent's. One that has failed to write a
 * summary is not asked by this agent again, unless all have failed.
 */
export function summarizersOf(
  { agent, iteration }: Pick<AgentState, "agent" | "iteration">,
  { llm_provider: named }: Pick<ResolvedSummaries, "llm_provider">,
): Summarizers {
  const first = named ?? agent.llm_provider;
  const others = candidates({ ...agent, llm_provider: first }).map(({ provider }) => provider);
  const taken = iteration.summarizers?.[first.name];
  const position = others.findIndex(({ name }) => name === taken) + 1;
  return { list: [first, ...others], position };
}

/** The state in which the provider at `position` writes the agent's summaries; the first one for null. */
export function withSummarizer(
  state: IterationState,
  { list: [first, ...others] }: Pick<Summarizers, "list">,
  position: number | null,
): IterationState {
  const { summarizers = {}, ...rest } = state;
  const { [first.name]: _former, ...kept } = summarizers;
  const name = position === null || position === 0 ? undefined : others[position - 1]?.name;
  const next = name === undefined ? kept : { ...kept, [first.name]: name };
  return Object.keys(next).length === 0 ? rest : { ...rest, summarizers: next };
}
