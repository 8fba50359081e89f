import type { ChainEntry } from "#shared/agent-config/schemas/tarsy-file.ts";

/** Chains that exist without being written in `tarsy.yaml`; an entry of the same id replaces one whole. */
export const BUILT_IN_CHAINS: Readonly<Record<string, ChainEntry>> = {
  "kubernetes-agent-chain": {
    alert_types: ["kubernetes"],
    description: "Investigates a Kubernetes alert in one stage",
    stages: [{ name: "analysis", agents: [{ name: "KubernetesAgent" }] }],
  },
};
