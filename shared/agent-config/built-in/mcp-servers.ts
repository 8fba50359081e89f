import type { McpServerEntry } from "#shared/agent-config/schemas/tarsy-file.ts";

const KUBERNETES_INSTRUCTIONS = `Working with the Kubernetes server:

- If the tool configuration_contexts_list exists, list the contexts first, and name the context you mean in later calls.
- Lists over the whole cluster can be very long. Ask for them only when nothing narrower will do.
- Prefer queries within one namespace.
- Pass the namespace parameter only for kinds that live in a namespace; leave it out for cluster-scoped ones such as nodes, namespaces and persistent volumes.`;

/**
 * MCP servers that exist without being written in `tarsy.yaml`; an entry of the same id replaces one whole.
 * Templates in them are expanded like those of a file.
 */
export const BUILT_IN_MCP_SERVERS: Readonly<Record<string, McpServerEntry>> = {
  "kubernetes-server": {
    transport: {
      type: "stdio",
      command: "npx",
      args: [
        "-y",
        "kubernetes-mcp-server@0.0.54",
        "--read-only",
        "--disable-destructive",
        "--kubeconfig",
        "{{.KUBECONFIG}}",
      ],
    },
    instructions: KUBERNETES_INSTRUCTIONS,
    data_masking: {
      enabled: true,
      pattern_groups: ["kubernetes"],
      patterns: ["certificate", "token", "email"],
    },
    summarization: { enabled: true, size_threshold_tokens: 5000, summary_max_token_limit: 1000 },
  },
};
