import type { Cassette } from "#shared/cassette/cassette.ts";
import { parseResolvedChain, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import type { RecordedFollowUp } from "./ask-again.ts";

/** Where the configuration of a replayed session comes from. */
export interface ChainSource {
  /** Throws TerminalError that says why the session cannot be configured. */
  chainOf(cassette: Cassette): Promise<{
    readonly chain: ResolvedChain;
    /** The texts that it refers to, by hash. */
    readonly texts: Readonly<Record<string, string>>;
  }>;
  /** Undefined for the recorded one. */
  followUpOf(cassette: Cassette, followUp: RecordedFollowUp): Promise<ResolvedChain | undefined>;
}

/** The configuration with which the session was recorded: what is tested is today's code. */
export const RECORDED_CHAINS: ChainSource = {
  chainOf: ({ resolved_config, texts }) =>
    Promise.resolve({ chain: parseResolvedChain(resolved_config), texts }),
  followUpOf: () => Promise.resolve(undefined),
};
