import type { ProviderCircuits, TrackedCall } from "../services/executor/llm/provider-circuits.ts";

const nothing = () => Promise.resolve();
const CALL: TrackedCall = { answered: nothing, failed: nothing, doubtful: nothing, abandoned: nothing };

/** Every provider may be called at any time: what one session meets there tells the others nothing. */
export const NO_CIRCUITS: ProviderCircuits = {
  find: () => undefined,
  admit: () => Promise.resolve(CALL),
  refresh: nothing,
  [Symbol.asyncDispose]: nothing,
};
