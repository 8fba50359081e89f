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
const CALLS = { run: "", ask: ", asks a person", deny: ", denied to this agent" };

type Alert = NonNullable<ApiRequest<"POST /api/v1/alerts">["body"]>;
type Preview = ApiResponse<"POST /api/v1/alerts/preview">;

/** Shows what an alert would start, and starts nothing. Resolves with the exit code. */
export async function dryRun(
  { terminal, flag, signal }: CommandCall,
  api: ApiClient,
  body: Alert,
): Promise<number> {
  const shown = await readPreview(api, body, signal);
  terminal.write(flag("json") ? `${JSON.stringify(shown)}\n` : printable(`${linesOf(shown).join("\n")}\n`));
  return EXIT.done;
}

async function readPreview(api: ApiClient, body: Alert, signal: AbortSignal) {
  const preview = await api.call("POST /api/v1/alerts/preview", { body, signal });
  const chain = parseResolvedChain(preview.chain);
  const openings = chain.stages.map(({ agents }) =>
    agents.map((agent) => openingState(preview, chain, agent)),
  );
  const first = openings.flat()[0];
  const step = first === undefined ? undefined : nextAgentStep(first, FEATURES);
  const prompt = step?.kind === "open-conversation" ? step.messages : [];
  const tokens = tokensOf(prompt, first);
  return {
    alert_type: preview.alert_type,
    alert_type_is: preview.is_default ? "the default, because none is given" : "as given",
    chain_id: preview.chain_id,
    priority: preview.priority,
    stages: openings.map((states, index) => ({
      name: chain.stages[index]?.name,
      agents: states.map((state) => ({
        name: state.agent.name,
        strategy: state.agent.iteration_strategy,
        provider: state.agent.llm_provider.name,
        model: state.agent.llm_provider.model,
        tools: toolsOf(state),
      })),
    })),
    unavailable: preview.listing.failed ?? [],
    prompt,
    prompt_tokens: tokens,
    cost: await expectedCost(api, preview, { provider: first?.agent.llm_provider.name, tokens, signal }),
  };
}

function linesOf(shown: Awaited<ReturnType<typeof readPreview>>): readonly string[] {
  return [
    `Alert type  ${shown.alert_type} (${shown.alert_type_is})`,
    `Chain       ${shown.chain_id}, which has this alert type`,
    `Priority    ${shown.priority}`,
    ...shown.stages.flatMap(({ name, agents }, index) => [
      `Stage ${index + 1}: ${name ?? ""}`,
      ...agents.flatMap((agent) => [
        `  ${agent.name}: ${agent.strategy}, ${agent.provider} (${agent.model})`,
        ...agent.tools.map(
          ({ name: tool, effect, is_assumed, call }) =>
            `    ${tool}  ${effect}${is_assumed ? " (assumed)" : ""}${CALLS[call]}`,
        ),
      ]),
    ]),
    ...shown.unavailable.map(({ server, message }) => `No tools of ${server}: ${message}`),
    `First prompt, about ${shown.prompt_tokens} tokens:`,
    ...shown.prompt.flatMap(({ role, content }) => [`--- ${role}`, content]),
    "---",
    `Expected cost: ${shown.cost.text}`,
    "Nothing was started.",
  ];
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

function toolsOf({ tools, offer, agent, chain }: AgentState) {
  return [...(tools ?? []), ...(offer?.searchable ?? [])].map((tool) => ({
    name: tool.name,
    effect: tool.effect ?? (tool.read_only ? "read" : "write"),
    is_assumed: tool.effect_known === false,
    call: toolGate(tool, agent, chain),
  }));
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
  first: { readonly provider: string | undefined; readonly tokens: number; readonly signal: AbortSignal },
): Promise<{ readonly usd: number | null; readonly text: string }> {
  const [start_date = "", end_date = ""] = [Date.now() - DAYS * DAY_MS, Date.now()].map((at) =>
    new Date(at).toISOString(),
  );
  const query = { chain_id, start_date, end_date };
  const { by_chain } = await api.call("GET /api/v1/usage/summary", { query, signal: first.signal });
  const past = by_chain.find((each) => each.chain_id === chain_id);
  const average = past?.average_cost_usd;
  if (past !== undefined && average !== undefined) {
    const text = `${average.toFixed(4)} USD, the average of ${past.session_count} sessions of this chain in the last ${DAYS} days`;
    return { usd: average, text };
  }
  const rate = prices.find(({ provider }) => provider === first.provider)?.input_usd_per_million_tokens;
  if (rate === undefined) {
    return { usd: null, text: "unknown: neither the model nor a session of this chain has a price" };
  }
  const usd = (first.tokens * rate) / 1_000_000;
  const text = `at least ${usd.toFixed(4)} USD, an estimate: about ${first.tokens} tokens of the first call at ${rate} USD per million; answers and further calls come on top`;
  return { usd, text };
}
