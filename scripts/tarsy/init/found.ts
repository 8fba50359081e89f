import type { FoundKey } from "#shared/agent-config/found/find-keys.ts";
import type { FoundKubeconfig } from "#shared/agent-config/found/find-kubeconfig.ts";
import type { FoundModel } from "./find-model-servers.ts";

/** What there is on this machine to investigate with. */
export interface Found {
  readonly keys: readonly FoundKey[];
  readonly models: readonly FoundModel[];
  readonly kubeconfig: FoundKubeconfig | undefined;
  /** The program of the Kubernetes server is on the PATH. */
  readonly hasKubernetesServer: boolean;
}

/** The provider of all agents: of the first key, else the first model. Undefined without both. */
export function chosenProvider({ keys: [key], models: [model] }: Found): string | undefined {
  return key?.provider ?? (model === undefined ? undefined : "local");
}
