import { knownAlertTypes, findChain } from "#shared/agent-config/find-chain.ts";
import { runbookHosts } from "#shared/agent-config/runbook-hosts.ts";
import { isRunbookAddress, runbookAddress } from "#shared/runbooks/runbook-address.ts";
import type { ApiConfig } from "../config.ts";
import { RequestError, abbreviate, validationError } from "../http/request-error.ts";
import type { AlertRequest } from "./contract.ts";

export const MAX_DATA_BYTES = 1_048_576;

export type CheckedAlert = ReturnType<typeof checkAlert>;

/** Checks a decoded request, in the order of the reference. Throws RequestError 400 or 413. */
export function checkAlert(request: AlertRequest, { agents }: ApiConfig) {
  const data = request.data ?? "";
  if (data === "") throw new RequestError(400, "data field is required");
  if (Buffer.byteLength(data) > MAX_DATA_BYTES) {
    throw new RequestError(413, `alert data exceeds maximum size of ${MAX_DATA_BYTES} bytes`);
  }
  const mcp = request.mcp ?? null;
  const names = mcp?.servers.map(({ name }) => name) ?? [];
  const repeated = names.findIndex((name, index) => names.indexOf(name) < index);
  if (repeated !== -1) {
    const why = `must name another server than those before, got '${abbreviate(names[repeated] ?? "")}'`;
    throw new RequestError(400, `field 'mcp.servers[${repeated}].name' ${why}`);
  }
  for (const name of names) {
    if (!agents.mcpServers.has(name)) {
      const why = `MCP server "${abbreviate(name)}" not found in configuration`;
      throw validationError("mcp_selection", why, [...agents.mcpServers.keys()]);
    }
  }
  const runbook = request.runbook || null;
  checkRunbook(runbook, agents);
  const alertType = request.alert_type ?? "";
  const found = findChain(agents, alertType);
  if (found === undefined) {
    const why = `no chain found for alert type '${alertType === "" ? agents.defaults.alert_type : abbreviate(alertType)}'`;
    throw validationError("alert_type", why, knownAlertTypes(agents));
  }
  return {
    data,
    alertType: found.alertType,
    chainId: found.chainId,
    runbook,
    slackFingerprint: fingerprintOf(request),
    mcp,
    teams: found.chain.teams ?? [],
    chainPriority: found.chain.priority ?? ("normal" as const),
  };
}

/** White space alone would be found in every message. */
function fingerprintOf({ slack_message_fingerprint: text }: AlertRequest): string | null {
  return text === undefined || text === null || text.trim() === "" ? null : text;
}

/** Throws RequestError 400 for an address that would have to be fetched, and may not be. */
function checkRunbook(runbook: string | null, agents: ApiConfig["agents"]): void {
  const { runbooks } = agents.system;
  if (runbook === null || runbooks === undefined || !isRunbookAddress(runbook)) return;
  const address = runbookAddress(runbook, runbookHosts(runbooks));
  if ("problem" in address) throw new RequestError(400, `invalid runbook URL: ${address.problem}`);
}
