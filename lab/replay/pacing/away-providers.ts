import type { ProviderCircuits, TrackedCall } from "../../../services/executor/llm/provider-circuits.ts";

const nothing = () => Promise.resolve();
const CALL: TrackedCall = { answered: nothing, failed: nothing, doubtful: nothing, abandoned: nothing };
/** Longer than an agent would wait where another provider can take over. */
const PROBE_IN_MS = 60_000;

/**
 * The providers that one session passes over because they were known to be away. Otherwise every provider may be called: what one session
 * meets there tells the others nothing.
 */
export class AwayProviders implements ProviderCircuits {
  readonly #away = new Set<string>();
  readonly #awayAtSummary: () => Promise<readonly string[]>;
  #ofSummary: readonly string[] = [];
  #agent: string | undefined;

  /** `awayAtSummary` names those that are away for the executive summary, if that is due. */
  constructor(awayAtSummary: () => Promise<readonly string[]> = () => Promise.resolve([])) {
    this.#awayAtSummary = awayAtSummary;
  }

  /** The agent that passes providers over; the others wait meanwhile. */
  get agent(): string | undefined {
    return this.#agent;
  }

  /** From now on these providers count as away for the next call, which is this agent's. */
  passOver(agent: string, names: readonly string[]): void {
    this.#agent = agent;
    for (const name of names) this.#away.add(name);
  }

  /** The agent has turned to another provider. */
  clear(): void {
    this.#agent = undefined;
    this.#away.clear();
  }

  readonly find: ProviderCircuits["find"] = ({ name }) =>
    this.#away.has(name) || this.#ofSummary.includes(name)
      ? { lastError: "it was away", probeInMs: PROBE_IN_MS }
      : undefined;

  readonly admit: ProviderCircuits["admit"] = async (provider) => {
    this.#ofSummary = await this.#awayAtSummary();
    return this.find(provider) ?? CALL;
  };

  readonly refresh = nothing;

  readonly [Symbol.asyncDispose] = nothing;
}
