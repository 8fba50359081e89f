import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import type { Cassette } from "#shared/cassette/cassette.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { parseResolvedChain, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { postgresSafeValue } from "#shared/postgres-safe-value.ts";
import { McpSelection } from "../../../services/api/alerts/contract.ts";
import { openSelection } from "../../../services/api/alerts/open-selection.ts";
import type { Variant } from "../suite/suite.ts";

const parseSelection = compileParser("selection of a cassette", McpSelection);

/**
 * The chain that a variant starts from: the one with which the cassette was recorded, or the one that its alert would have by the
 * variant's configuration now. Throws TerminalError `unknown_alert_type` if no chain of the configuration handles it.
 */
export function baseChain(
  { session, resolved_config }: Pick<Cassette, "session" | "resolved_config">,
  variant: Pick<Variant, "chain">,
  config: AgentConfig,
): ResolvedChain {
  if (variant.chain === "recorded") return parseResolvedChain(resolved_config);
  const { alert_type: alertType, mcp_selection: given } = session;
  if (given === null || given === undefined) {
    return postgresSafeValue(resolveChain(config, alertType ?? undefined));
  }
  const parsed = parseSelection(given);
  // Servers that are configured no more are left out, as the api does.
  const selection = { ...parsed, servers: parsed.servers.filter(({ name }) => config.mcpServers.has(name)) };
  const chain = resolveChain(config, alertType ?? undefined, selection.servers.length > 0);
  return postgresSafeValue(openSelection(config)(chain, selection));
}
