import {
  type IterationStrategy,
  TOOL_STRATEGIES,
  type ResolvedAgent,
  type ResolvedChain,
} from "#shared/contracts/resolved-chain.ts";
import type { AgentState, AgentStep, Controller } from "../core/agent-state.ts";
import type { AgentSetting, Features, Loaded } from "../core/feature.ts";
import { nativeThinking, react } from "./iterating.ts";
import { singleCall, synthesis } from "./single-call.ts";
import type { AgentMemory, ServerListing } from "../state/agent-memory.ts";
import { agentWithProvider } from "./choose-provider.ts";
import { BUILT_IN_SERVER } from "#shared/contracts/tool-names.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { ServerOffer } from "../prompts/prompt-input.ts";
import {
  BUILT_IN_TOOLS,
  concludeTool,
  LOAD_SKILL,
  MEMORY_TOOLS,
  SUB_AGENT_TOOLS,
  TOOL_SEARCH,
} from "./built-in-tools.ts";
import { divideTools } from "./divide-tools.ts";

/** The strategies that belong to no feature. A new one is a controller in this folder and one line here. */
export const BASE_CONTROLLERS = {
  "single-call": singleCall,
  react,
  "native-thinking": nativeThinking,
  synthesis,
  "synthesis-native-thinking": synthesis,
} satisfies Partial<Record<IterationStrategy, Controller>>;

/** The next step of an agent: its strategy's controller decides it, and then each feature may replace it, in their order. */
export function nextAgentStep(state: AgentState, { list, controllers }: Features): AgentStep {
  const chosen = controllers[state.agent.iteration_strategy](state);
  return list.reduce((next, { decide }) => decide?.(state, next) ?? next, chosen);
}

/** The state from which an agent's next step is decided: its setting, what its rows say now, and what was read for this decision. */
export function agentState(
  {
    agent,
    chain,
    previous,
    alert,
    task,
  }: Pick<AgentSetting, "agent" | "chain" | "previous" | "alert" | "task">,
  { iteration, messages, listings, steering, evidence }: AgentMemory,
  loaded: Loaded = {},
): AgentState {
  const offer = toolOffer(agent, chain, listings, iteration.found_tools);
  return {
    agent: agentWithProvider(agent, iteration),
    chain,
    previous,
    alert,
    task: task ?? null,
    parallel: null,
    context: null,
    chat: null,
    judged: null,
    skills: [],
    memories: [],
    tools: offer?.tools ?? null,
    offer,
    messages,
    iteration,
    steering,
    evidence,
    ...loaded,
  };
}

/** The offer of an agent's servers to it, by their listings. */
interface ToolOffer extends ServerOffer {
  /** By server in the agent's order, so that a resumed prompt is the same; then the built-in tools, and those that were found. */
  readonly tools: readonly ToolDescription[];
}

/** The offer of an agent's servers, and the built-in tools that its configuration gives it; null before all of them are listed. `names` are tools that it has found. */
function toolOffer(
  agent: Pick<
    ResolvedAgent,
    | "iteration_strategy"
    | "mcp_servers"
    | "tool_choice"
    | "skills"
    | "sub_agents"
    | "conclusion"
    | "conclusion_names"
  >,
  { memory }: Pick<ResolvedChain, "memory">,
  listings: ReadonlyMap<string, ServerListing>,
  names: readonly string[] = [],
): ToolOffer | null {
  const { mcp_servers: servers, tool_choice = {}, skills = [], sub_agents: subAgents = [] } = agent;
  const wanted = [...new Set(servers)];
  const listed = wanted.flatMap((server) => {
    const listing = listings.get(server);
    return listing === undefined ? [] : [{ server, ...listing }];
  });
  if (listed.length < wanted.length) return null;
  const chosen = (server: string) => (Object.hasOwn(tool_choice, server) ? (tool_choice[server] ?? []) : []);
  const remembers =
    memory !== undefined && TOOL_STRATEGIES.some((strategy) => strategy === agent.iteration_strategy);
  const { whole, searchable, found } = divideTools(listed, names);
  return {
    tools: [
      ...whole,
      // The results of the memory tools may be large, too.
      ...(listings.get(BUILT_IN_SERVER)?.tools ?? (remembers ? BUILT_IN_TOOLS : [])),
      ...(skills.length === 0 ? [] : [LOAD_SKILL]),
      ...(remembers ? MEMORY_TOOLS : []),
      ...(subAgents.length === 0 ? [] : SUB_AGENT_TOOLS),
      ...(agent.conclusion === undefined ? [] : [concludeTool(agent)]),
      ...(searchable.length === 0 ? [] : [TOOL_SEARCH]),
      ...found,
    ],
    searchable,
    servers: listed.filter(({ tools }) => tools.length > 0).map(({ server }) => server),
    unavailable: listed.flatMap(({ server, failure }) =>
      failure === null ? [] : [{ server, reason: failure }],
    ),
    missing: listed
      .filter(({ failure }) => failure === null)
      .flatMap(({ server, tools }) =>
        chosen(server)
          .map((name) => `${server}.${name}`)
          .filter((name) => !tools.some((tool) => tool.name === name)),
      ),
  };
}
