import { randomUUID } from "node:crypto";
import type { ApiClient } from "#shared/client/api-client.ts";
import type { ApiRequest, ApiResponse } from "#shared/client/api-types.ts";
import {
  parseResolvedChain,
  type ResolvedAgent,
  type ResolvedChain,
} from "#shared/contracts/resolved-chain.ts";
import { CHARS_PER_TOKEN } from "#shared/contracts/result-sizes.ts";
import { toolGate, type ToolDescription } from "#shared/contracts/tool-list.ts";
import { agentState, nextAgentStep } from "../../services/executor/controllers/next-agent-step.ts";
import type { AgentState } from "../../services/executor/core/agent-state.ts";
import { FEATURES } from "../../services/executor/features/features.ts";
import { contextBlock } from "../../services/executor/prompts/context-block.ts";
import { newAgent, readListing } from "../../services/executor/state/agent-memory.ts";
import { selectTools } from "../../services/executor/tools/list-tools.ts";
import type { CommandCall } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { printable } from "./terminal/terminal-style.ts";

const DAYS = 30;
const DAY_MS = 86_400_000;

type Preview = ApiResponse<"POST /api/v1/alerts/preview">;

/** Shows what an alert would start, and starts nothing. Resolves with the exit code. */
export async function dryRun(
  { terminal, flag, signal }: CommandCall,
  api: ApiClient,
  body: NonNullable<ApiRequest<"POST /api/v1/alerts">["body"]>,
): Promise<number> {
  const preview = await api.call("POST /api/v1/alerts/preview", { body, signal });
  const chain = parseResolvedChain(preview.chain);
  const agents = chain.stages.map(({ name, agents: ofStage }) => ({
    stage: name,
    agents: ofStage.map((agent) => {
      const state = openingState(preview, chain, agent);
      return { agent, state, tools: toolsOf(state, agent, chain) };
    }),
  }));
  const [first] = agents.flatMap((stage) => stage.agents);
  const step = first === undefined ? undefined : nextAgentStep(first.state, FEATURES);
  const prompt = step?.kind === "open-conversation" ? step.messages : [];
  const tokens = tokensOf(prompt, first?.state);
  const cost = await expectedCost(api, preview, { agent: first?.agent, tokens, signal });
  const why = preview.is_default ? "the default, because none is given" : "as given";
  if (flag("json")) {
    const { alert_type, chain_id, priority } = preview;
    const shown = agents.map(({ stage, agents: ofStage }) => ({
      stage,
      agents: ofStage.map(({ agent, tools }) => ({ ...described(agent), tools })),
    }));
    terminal.write(
      `${JSON.stringify({ alert_type, alert_type_is: why, chain_id, priority, stages: shown, prompt, prompt_tokens: tokens, cost })}\n`,
    );
    return EXIT.done;
  }
  const lines = [
    `Alert type  ${preview.alert_type} (${why})`,
    `Chain       ${preview.chain_id}, which has this alert type`,
    `Priority    ${preview.priority}`,
    ...agents.flatMap(({ stage, agents: ofStage }, index) => [
      `Stage ${index + 1}: ${stage}`,
      ...ofStage.flatMap(({ agent, tools }) => {
        const { name, strategy, provider, model } = described(agent);
        return [
          `  ${name}: ${strategy}, ${provider} (${model})`,
          ...tools.map((tool) => `    ${toolLine(tool)}`),
        ];
      }),
    ]),
    ...(preview.listing.failed ?? []).map(({ server, message }) => `No tools of ${server}: ${message}`),
    `First prompt of ${first?.agent.name ?? ""}, about ${tokens} tokens:`,
    ...prompt.flatMap(({ role, content }) => [`--- ${role}`, content]),
    "---",
    `Expected cost: ${cost.text}`,
    "Nothing was started.",
  ];
  terminal.write(printable(`${lines.join("\n")}\n`));
  return EXIT.done;
}

function described({ name, iteration_strategy, llm_provider }: ResolvedAgent) {
  return { name, strategy: iteration_strategy, provider: llm_provider.name, model: llm_provider.model };
}

/** The state from which the executor decides an agent's first messages, without answers of earlier stages, runbook and memories. */
function openingState(
  { data, alert_type: alertType, runbook: runbookUrl, listing, skills, holidays }: Preview,
  chain: ResolvedChain,
  agent: ResolvedAgent,
): AgentState {
  const servers = agent.mcp_servers.map((id) => ({ id, tools: agent.tool_choice?.[id] ?? null }));
  const { tools, failed } = selectTools(listing, servers);
  const listings = servers.map(({ id }) => {
    const failure = failed.get(id);
    const tool_result = failure === undefined ? null : { content: failure.message, code: failure.code };
    const available_tools = tools.filter(({ server }) => server === id);
    return [id, readListing({ available_tools, tool_result })] as const;
  });
  const bodies = new Map(skills.map(({ hash, body }) => [hash, body]));
  const id = randomUUID();
  return agentState(
    { agent, chain, previous: [], alert: { data, alertType, runbookUrl, nonce: id } },
    { ...newAgent(id, "active"), listings: new Map(listings) },
    {
      context: contextBlock(new Date(), { holidays, alertData: data }),
      skills: (agent.required_skills ?? []).map(({ name, hash }) => ({ name, body: bodies.get(hash) ?? "" })),
    },
  );
}

function toolsOf({ tools, offer }: AgentState, agent: ResolvedAgent, chain: ResolvedChain) {
  return [...(tools ?? []), ...(offer?.searchable ?? [])].map((tool) => ({
    name: tool.name,
    effect: tool.effect ?? (tool.read_only ? ("read" as const) : ("write" as const)),
    is_assumed: tool.effect_known === false,
    call: toolGate(tool, agent, chain),
  }));
}

function toolLine({ name, effect, is_assumed, call }: ReturnType<typeof toolsOf>[number]): string {
  const calls = { run: "", ask: ", asks a person", deny: ", denied to this agent" };
  return `${name}  ${effect}${is_assumed ? " (assumed)" : ""}${calls[call]}`;
}

/** An estimate for the first call, with the definitions of the tools. */
function tokensOf(prompt: readonly { readonly content: string }[], state: AgentState | undefined): number {
  const isText = state?.agent.iteration_strategy === "react";
  const bound: readonly ToolDescription[] = isText ? [] : (state?.tools ?? []);
  const texts = [
    ...prompt.map(({ content }) => content),
    ...bound.flatMap(({ name, description, parameters_schema }) => [name, description, parameters_schema]),
  ];
  return Math.ceil(texts.join("").length / CHARS_PER_TOKEN);
}

/** The average of what the chain's sessions have cost; else the price of the first call's input. */
async function expectedCost(
  api: ApiClient,
  { chain_id, prices }: Preview,
  {
    agent,
    tokens,
    signal,
  }: { readonly agent: ResolvedAgent | undefined; readonly tokens: number; readonly signal: AbortSignal },
) {
  const now = Date.now();
  const query = {
    chain_id,
    start_date: new Date(now - DAYS * DAY_MS).toISOString(),
    end_date: new Date(now).toISOString(),
  };
  const { by_chain } = await api.call("GET /api/v1/usage/summary", { query, signal });
  const past = by_chain.find((each) => each.chain_id === chain_id);
  if (past?.average_cost_usd !== undefined) {
    const { average_cost_usd: usd, session_count: sessions } = past;
    const text = `${usd.toFixed(4)} USD, the average of ${sessions} sessions of this chain in the last ${DAYS} days`;
    return { usd, sessions, text };
  }
  const price = prices.find(({ provider }) => provider === agent?.llm_provider.name);
  if (price === undefined) {
    return {
      usd: null,
      text: "unknown, because the model has no price and no session of this chain has a cost",
    };
  }
  const usd = (tokens * price.input_usd_per_million_tokens) / 1_000_000;
  const text = `at least ${usd.toFixed(4)} USD, an estimate: about ${tokens} tokens of the first call at ${price.input_usd_per_million_tokens} USD per million; each further call and all answers come on top`;
  return { usd, text };
}
