import { join } from "node:path";
import type { FoundKubeconfig } from "#shared/agent-config/found/find-kubeconfig.ts";
import { PROJECT_ROOT } from "../project-root.ts";
import { chosenProvider, type Found } from "./found.ts";
import { yamlText } from "./yaml-text.ts";

/**
 * The text of tarsy.yaml. The built-in agent investigates every alert: with the cluster that was found, else with example files. A model
 * of this machine without a cluster gets no tools: each step may take it minutes.
 */
export function tarsyFile(found: Found, schemaUrl: string): string {
  const isLocal = found.keys.length === 0;
  const { kubeconfig } = found.cluster;
  const tools = kubeconfig === undefined ? (isLocal ? WITHOUT_TOOLS : exampleFiles()) : cluster(kubeconfig);
  return `# yaml-language-server: $schema=${schemaUrl}
# What TARSy investigates, with which agents, tools and models. docs/configuration-keys.md has every key.
# Check this directory after a change: npm run config -- check --strict --config-dir DIR
# The built-in KubernetesAgent investigates every alert. Agents of your own, and several of them: docs/configuration.md.

${isLocal ? LOCAL_QUEUE : ""}defaults:
  llm_provider: ${chosenProvider(found) ?? "none"} # an entry of llm-providers.yaml
  alert_type: kubernetes # of alerts that name none
  conclusion: rca.v1 # stated as data, with quotes that are compared with the results of tools

${tools}`;
}

const LOCAL_QUEUE = `# One alert at a time, and time for a model without a GPU.
queue:
  worker_count: 1
  max_concurrent_sessions: 1
  max_parallel_agents: 1
  session_timeout: 2h

`;

/** The name of the built-in server, so that the built-in agents have its tools. */
function cluster({ path, context }: FoundKubeconfig): string {
  return `# The cluster of context ${yamlText(context)}, read-only. docs/tools.md has servers for other systems.
mcp_servers:
  kubernetes-server:
    transport:
      type: stdio
      command: kubernetes-mcp-server # of .tarsy/packs/bin, or the one on the PATH
      # It changes nothing in the cluster, whatever the user of the kubeconfig may do.
      args: [--read-only, --disable-destructive, --kubeconfig, ${yamlText(path)}]
    isolation: shared # it keeps nothing between calls
    tools:
      deny: [configuration_view] # prints credentials
      read_only: [pods_*, events_list, namespaces_list, nodes_*, resources_get, resources_list]
    data_masking:
      pattern_groups: [kubernetes]
`;
}

function exampleFiles(): string {
  const files = join(PROJECT_ROOT, "deploy", "config", "demo", "files");
  return `# No cluster was found, so the agents read example files. With one: set KUBECONFIG, then npm run tarsy -- init --force
mcp_servers:
  kubernetes-server:
    example: these are example files, not your systems; to connect a cluster, set KUBECONFIG and run npm run tarsy -- init --force
    transport:
      type: stdio
      command: mcp-server-filesystem # comes with TARSy
      args: [${yamlText(files)}]
    tools:
      allow: &reading [list_allowed_directories, list_directory, directory_tree, read_text_file, search_files]
      read_only: *reading
    isolation: shared
    instructions: |
      No cluster is connected: these tools read example files. Start with list_allowed_directories, then directory_tree. Say in your
      answer that it rests on example files, and what to look up in the cluster.
`;
}

const WITHOUT_TOOLS = `agents:
  KubernetesAgent:
    iteration_strategy: single-call
    custom_instructions: |
      You are an experienced Kubernetes operator. You have no tools in this investigation: work from the alert
      alone, say what you can conclude from it and what would have to be looked up next. Be brief.
`;
