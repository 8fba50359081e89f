import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { resolveChain, resolveFound } from "#shared/agent-config/resolve-chain.ts";
import type { ConclusionNames } from "#shared/contracts/conclusion.ts";
import { TOOL_STRATEGIES, type ResolvedAgent, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { asTemplate } from "#shared/contracts/text-template.ts";
import type { World } from "#shared/worlds/world-format.ts";
import type { Suite } from "../suite/suite.ts";

const INVESTIGATOR = "Investigator";

/**
 * The chain that the alert of a world has by a configuration, or one that any configuration has: `world`, a single agent that calls tools until it
 * knows. Its conclusion is stated as data or, with `answer: text`, not, unless the chain itself says otherwise. Throws TerminalError
 * `unknown_alert_type` if no chain is configured for the alert.
 */
export function worldChain(
  given: AgentConfig,
  alertType: string,
  { chain, answer }: { readonly chain: "configured" | "world"; readonly answer: Suite["answer"] },
): ResolvedChain {
  const conclusion = answer === "text" ? "none" : answer;
  const config: AgentConfig = { ...given, defaults: { ...given.defaults, conclusion } };
  if (chain === "configured") return resolveChain(config, alertType, true);
  const agents = new Map([
    ...config.agents,
    [INVESTIGATOR, { iteration_strategy: "native-thinking" as const }],
  ]);
  const stages = [{ name: "investigation", agents: [{ name: INVESTIGATOR }] }];
  const found = { alertType, chainId: "world", chain: { alert_types: [alertType], stages } };
  return resolveFound({ ...config, agents }, found, true);
}

/** The parts of a world that its agents see beside its alert. */
type SeenWorld = Pick<World, "servers" | "runbook" | "vocabulary">;

/**
 * The chain in a world: the agents that call tools have the world's servers in place of their own, no agent has tools of a provider, which know
 * the web, and the names that a conclusion may use follow the instructions.
 */
export function inWorld(
  chain: ResolvedChain,
  { servers, runbook = "", vocabulary }: SeenWorld,
): ResolvedChain {
  const { mcp_server_result_tokens: _tokens, mcp_server_summaries: _summaries, ...rest } = chain;
  // What the world says inserts no variable.
  const text = chain.variables === undefined ? (plain: string) => plain : asTemplate;
  const ids = servers.map(({ id }) => id);
  const names = vocabulary === undefined ? undefined : conclusionNames(vocabulary);
  const isText = !chain.stages.some(({ agents }) => agents.some((agent) => agent.conclusion !== undefined));
  const named = vocabulary === undefined ? "" : text(vocabularyText(vocabulary, isText ? "text" : "data"));
  const placeOwn = <A extends Omit<ResolvedAgent, "sub_agents">>({ tool_choice: _choice, ...agent }: A) => ({
    ...agent,
    mcp_servers: TOOL_STRATEGIES.some((one) => one === agent.iteration_strategy) ? ids : [],
    custom_instructions: [agent.custom_instructions, named].filter((part) => part !== "").join("\n\n"),
    ...(names === undefined || agent.conclusion === undefined ? {} : { conclusion_names: names }),
    llm_provider: withoutNativeTools(agent.llm_provider),
    ...(agent.fallback_providers === undefined
      ? {}
      : { fallback_providers: agent.fallback_providers.map(withoutNativeTools) }),
  });
  const place = ({ sub_agents, ...agent }: ResolvedAgent): ResolvedAgent => ({
    ...placeOwn(agent),
    ...(sub_agents === undefined ? {} : { sub_agents: sub_agents.map(placeOwn) }),
  });
  return {
    ...rest,
    default_runbook: text(runbook),
    mcp_server_instructions: Object.fromEntries(
      servers.flatMap(({ id, instructions }) =>
        instructions === undefined ? [] : [[id, text(instructions)]],
      ),
    ),
    stages: chain.stages.map((stage) => ({
      ...stage,
      agents: stage.agents.map(place),
      ...(stage.synthesis === undefined ? {} : { synthesis: place(stage.synthesis) }),
    })),
  };
}

function withoutNativeTools(provider: ResolvedAgent["llm_provider"]): ResolvedAgent["llm_provider"] {
  return { ...provider, native_tools: {} };
}

/** The names as the conclusion's schema has them. */
function conclusionNames({ objects, causes, categories }: NonNullable<World["vocabulary"]>): ConclusionNames {
  const codesOf = (list: readonly { readonly code: string }[]) => [...new Set(list.map(({ code }) => code))];
  return causes.length === 0
    ? { codes: codesOf(categories), categories: [], entities: objects }
    : { codes: codesOf(causes), categories: codesOf(categories), entities: objects };
}

/** The names that a conclusion may use, for an agent that writes a text, or for one that states it as data. */
export function vocabularyText(
  { objects, causes, categories }: NonNullable<World["vocabulary"]>,
  as: "text" | "data",
): string {
  const list = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join("\n");
  const coded = ({ code, text }: { readonly code: string; readonly text: string }) => `${code}: ${text}`;
  const codes =
    causes.length === 0
      ? "the code of the category"
      : categories.length === 0
        ? "the code of the cause"
        : "that of the cause and `category` that of its category";
  const isData = as === "data";
  return [
    isData
      ? `In the conclusion, \`code\` of each cause is ${codes}, exactly as in these lists.`
      : "Name what is at fault and the cause in your answer, exactly as in these lists.",
    ...(objects.length === 0
      ? []
      : [`${isData ? "`entity` of each cause is one of these objects" : "Objects"}:\n${list(objects)}`]),
    ...(causes.length === 0 ? [] : [`Causes:\n${list(causes.map(coded))}`]),
    ...(categories.length === 0 ? [] : [`Categories:\n${list(categories.map(coded))}`]),
  ].join("\n\n");
}
