import type { FoundKubeconfig } from "#shared/agent-config/found/find-kubeconfig.ts";
import { chosenProvider, type Found } from "./found.ts";
import { yamlText } from "./yaml-text.ts";

/** The text of tarsy.yaml: one chain that investigates every alert, with the Kubernetes server if it can be used. */
export function tarsyFile(found: Found, schemaUrl: string): string {
  const { kubeconfig, keys, hasKubernetesServer } = found;
  const isLocal = keys.length === 0;
  const hasTools = kubeconfig !== undefined && hasKubernetesServer;
  return `# yaml-language-server: $schema=${schemaUrl}
# What TARSy investigates, with which agents, tools and models. docs/configuration.md has every key.
# Check this directory after a change: npm run config -- check --strict --config-dir DIR

${isLocal ? LOCAL_QUEUE : ""}defaults:
  llm_provider: ${chosenProvider(found) ?? "none"} # an entry of llm-providers.yaml
  alert_type: kubernetes # of alerts that name none

${kubeconfig === undefined ? "" : kubernetesServer(kubeconfig, hasKubernetesServer)}agents:
  KubernetesAgent:
${hasTools ? WITH_TOOLS : WITHOUT_TOOLS}
# The id of the built-in chain, which this one replaces. More stages, and agents side by side: docs/chains.md.
agent_chains:
  kubernetes-agent-chain:
    alert_types:
      - kubernetes
    description: Investigates an alert with one agent
    stages:
      - name: analysis
        agents:
          - name: KubernetesAgent
`;
}

const LOCAL_QUEUE = `# One alert at a time, and time for a model without a GPU.
queue:
  worker_count: 1
  max_concurrent_sessions: 1
  max_parallel_agents: 1
  session_timeout: 2h

`;

const WITH_TOOLS = `    mcp_servers: [kubernetes-server]
    custom_instructions: |
      You are an experienced Kubernetes operator. Look at the cluster before you conclude anything, and say what you have seen.
`;

const WITHOUT_TOOLS = `    custom_instructions: |
      You are an experienced Kubernetes operator. You have no tools in this investigation: work from the alert
      alone, say what you can conclude from it and what would have to be looked up next. Be brief.
`;

/** As a section, or as a comment if its program is missing. */
function kubernetesServer({ path, context }: FoundKubeconfig, isInstalled: boolean): string {
  const section = `mcp_servers:
  kubernetes-server:
    transport:
      type: stdio
      command: kubernetes-mcp-server
      # It changes nothing in the cluster, whatever the user of the kubeconfig may do.
      args: [--read-only, --disable-destructive, --kubeconfig, ${yamlText(path)}]
    isolation: shared # it keeps nothing between calls
    tools:
      deny: [configuration_view] # prints credentials
      read_only: [pods_*, events_list, namespaces_list, nodes_*, resources_get, resources_list]
    data_masking:
      pattern_groups: [kubernetes]
`;
  const about = `# The cluster of context ${yamlText(context)}, read-only. docs/tools.md has servers for other systems.\n`;
  if (isInstalled) return `${about}${section}\n`;
  const missing = `# kubernetes-mcp-server is not on the PATH: install it, take the # away, and give the agent mcp_servers: [kubernetes-server].\n`;
  const commented = section.replaceAll(/^(?=.)/gmu, "#");
  return `${about}${missing}${commented}\n`;
}
