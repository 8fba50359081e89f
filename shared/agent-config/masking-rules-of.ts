import type { McpServerEntry } from "#shared/agent-config/schemas/tarsy-file.ts";
import { rulesOfServer, type MaskingRules } from "#shared/masking/masking-rules.ts";

/**
 * The masking rules of each configured MCP server, by server id. A server that is not among them has those of a server
 * without `data_masking`.
 */
export function maskingRulesOf(
  servers: ReadonlyMap<string, McpServerEntry>,
): ReadonlyMap<string, MaskingRules> {
  return new Map([...servers].map(([id, { data_masking }]) => [id, rulesOfServer(data_masking)]));
}
