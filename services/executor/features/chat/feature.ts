import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import { CHARS_PER_TOKEN } from "#shared/contracts/result-sizes.ts";
import type { Feature } from "../../core/feature.ts";
import { loadChat } from "./load-chat.ts";

/** The part of what a model takes that the history may have; the rest is for the alert, the tools and their results. */
const HISTORY_SHARE = 0.5;

/** Lets an agent answer a question about a session that has ended. */
export const CHAT = {
  load: async ({ session, agent, stage, followUp, isOpening }) => {
    if (!isOpening || followUp?.kind !== "chat") return {};
    const maxBytes = chatHistoryBytes(agent, session.maxMessageBytes);
    return { chat: await loadChat(session.db, stage.row, maxBytes) };
  },
} satisfies Feature;

/**
 * How many bytes of history a question may be sent with. The smallest of the providers that may answer decides: with a limit
 * of each provider, a change of the provider would change the history.
 */
export function chatHistoryBytes(
  { llm_provider, fallback_providers = [] }: Pick<ResolvedAgent, "llm_provider" | "fallback_providers">,
  maxMessageBytes: number,
): number {
  const tokens = [llm_provider, ...fallback_providers].map((provider) => provider.max_tool_result_tokens);
  return HISTORY_SHARE * Math.min(maxMessageBytes, Math.min(...tokens) * CHARS_PER_TOKEN);
}
