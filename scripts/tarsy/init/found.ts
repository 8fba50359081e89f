import type { FoundKey } from "#shared/agent-config/found/find-keys.ts";
import type { FoundCluster } from "../../../launcher/packs/connect-cluster.ts";
import type { FoundModel } from "./find-model-servers.ts";

/** The tools and models of this machine that can investigate. */
export interface Found {
  readonly keys: readonly FoundKey[];
  readonly models: readonly FoundModel[];
  readonly cluster: FoundCluster;
}

/** The provider of all agents: of the first key, else the first model. Undefined without both. */
export function chosenProvider({ keys: [key], models: [model] }: Found): string | undefined {
  return key?.provider ?? (model === undefined ? undefined : "local");
}
