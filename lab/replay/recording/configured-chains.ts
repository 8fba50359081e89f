import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import { loadAgentConfig } from "#shared/agent-config/load-agent-config.ts";
import { maskingRulesOf } from "#shared/agent-config/masking-rules-of.ts";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { resolveChat } from "#shared/agent-config/resolve-chat.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { Cassette } from "#shared/cassette/cassette.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { parseResolvedChain, textsOfChain, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { scoringChain } from "#shared/contracts/scoring.ts";
import { TerminalError } from "#shared/errors.ts";
import type { MaskingRules } from "#shared/masking/masking-rules.ts";
import { postgresSafeValue } from "#shared/postgres-safe-value.ts";
import type { Environment } from "#shared/service/environment.ts";
import { extractionChain } from "../../../services/api/memories/request-extraction.ts";
import { McpSelection } from "../../../services/api/alerts/contract.ts";
import { judgeOf } from "../../../services/api/scores/judge-of.ts";
import { openSelection } from "../../../services/api/alerts/open-selection.ts";
import type { RecordedFollowUp } from "./ask-again.ts";
import type { ChainSource } from "./chain-source.ts";

const parseSelection = compileParser("MCP selection of an alert", Type.Union([McpSelection, Type.Null()]));

/**
 * Resolves the configuration of each session anew from the files of a directory, as the api does for an alert of its type. Throws
 * AgentConfigError for invalid files.
 */
export async function openConfiguredChains(
  configDirectory: string,
  environment: Environment,
): Promise<ChainSource & { readonly maskingRules: ReadonlyMap<string, MaskingRules> }> {
  const env = readConfigEnvironment(configDirectory, environment);
  const agents = await loadAgentConfig({ configDir: configDirectory, env });
  const skills = new Map([...agents.skills.values()].map(({ hash, body }) => [hash, body]));
  const select = openSelection(agents);
  const chainOf = ({ session }: Cassette): ResolvedChain => {
    const selection = selectionOf(agents, session);
    const standard = resolveChain(
      agents,
      session.alert_type ?? undefined,
      (selection?.servers.length ?? 0) > 0,
    );
    // The configuration's free texts may contain characters that jsonb rejects.
    return postgresSafeValue(selection === null ? standard : select(standard, selection));
  };
  const chatOf = ({ session }: Cassette): ResolvedChain => {
    const selection = selectionOf(agents, session);
    const alertType = session.alert_type ?? agents.defaults.alert_type ?? "";
    const chain = resolveChat(
      agents,
      { chainId: session.chain_id, alertType },
      (selection?.servers.length ?? 0) > 0,
    );
    if (chain === undefined) throw missing(session.chain_id, configDirectory);
    return postgresSafeValue(selection === null ? chain : select(chain, selection));
  };
  return {
    maskingRules: maskingRulesOf(agents.mcpServers),
    chainOf: (cassette) => {
      const chain = chainOf(cassette);
      const texts = Object.fromEntries(
        textsOfChain(chain).map((hash) => [hash, skills.get(hash) ?? cassette.texts[hash] ?? ""]),
      );
      return Promise.resolve({ chain, texts });
    },
    followUpOf: (cassette, followUp) =>
      Promise.resolve(followUp.kind === "chat" ? chatOf(cassette) : judgeChain(agents, cassette, followUp)),
  };
}

/** Servers that are configured no more are left out, as the api does. */
function selectionOf(agents: AgentConfig, { mcp_selection }: Cassette["session"]) {
  const selection = parseSelection(mcp_selection ?? null);
  if (selection === null) return null;
  return { ...selection, servers: selection.servers.filter(({ name }) => agents.mcpServers.has(name)) };
}

function judgeChain(agents: AgentConfig, cassette: Cassette, followUp: RecordedFollowUp): ResolvedChain {
  const stored = parseResolvedChain(cassette.resolved_config);
  const judge = judgeOf(agents, stored);
  if (typeof judge === "string") throw new TerminalError("invalid_configuration", judge);
  if (followUp.kind === "score") return postgresSafeValue(scoringChain(stored, judge));
  const chain = extractionChain(agents, stored);
  if (chain === null) throw new TerminalError("invalid_configuration", "no model is configured that learns");
  return postgresSafeValue(chain);
}

function missing(chainId: string, directory: string): TerminalError {
  return new TerminalError(
    "invalid_configuration",
    `${directory} has no chain "${chainId}", about which the chat is`,
  );
}
