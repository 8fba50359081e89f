import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { isChatEnabled } from "#shared/agent-config/resolve-chat.ts";
import { isTerminal, type SessionStatus } from "#shared/contracts/statuses.ts";
import { RequestError } from "../http/request-error.ts";

/** A session as far as it decides whether questions may be asked. */
interface AskedSession {
  readonly chain_id: string;
  readonly status: SessionStatus;
}

/** Whether the configuration lets people ask about the investigations of this chain. */
export function offersChat(agents: AgentConfig, chainId: string): boolean {
  const chain = agents.chains.get(chainId);
  return chain !== undefined && isChatEnabled(chain);
}

/** Throws RequestError 400 unless questions may be asked about the session. */
export function checkChatAvailable(agents: AgentConfig, { chain_id, status }: AskedSession): void {
  if (!agents.chains.has(chain_id)) throw new RequestError(400, "chain configuration not found");
  if (status === "cancelled") throw new RequestError(400, "chat is not available for cancelled sessions");
  if (!isTerminal(status)) {
    throw new RequestError(400, "chat is not available while session is still processing");
  }
  if (!offersChat(agents, chain_id)) throw new RequestError(400, "chat is not enabled for this chain");
}
