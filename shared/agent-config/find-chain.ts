import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import type { ChainEntry } from "#shared/agent-config/schemas/tarsy-file.ts";

/** The chain that investigates an alert. */
interface FoundChain {
  readonly alertType: string;
  readonly chainId: string;
  readonly chain: ChainEntry;
}

/**
 * The chain for an alert type; for undefined or an empty one, the chain for the default alert type.
 * Undefined if no chain handles it; `knownAlertTypes` lists the allowed ones.
 */
export function findChain(config: AgentConfig, alertType: string | undefined): FoundChain | undefined {
  const wanted = alertType === undefined || alertType === "" ? config.defaults.alert_type : alertType;
  const chainId = config.alertTypes.get(wanted);
  const chain = chainId === undefined ? undefined : config.chains.get(chainId);
  if (chainId === undefined || chain === undefined) return undefined;
  return { alertType: wanted, chainId, chain };
}

/** Every alert type some chain handles, sorted. */
export function knownAlertTypes(config: AgentConfig): string[] {
  return [...config.alertTypes.keys()].sort();
}
