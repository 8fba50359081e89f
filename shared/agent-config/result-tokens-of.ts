import type { McpServerEntry } from "#shared/agent-config/schemas/tarsy-file.ts";

/** The longest result of a server, in tokens, that goes into a conversation whole; undefined if its entry does not say. */
export function resultTokensOf(server: McpServerEntry | undefined): number | undefined {
  const tokens = server?.summarization?.size_threshold_tokens;
  return tokens === undefined || tokens < 1 ? undefined : tokens;
}
