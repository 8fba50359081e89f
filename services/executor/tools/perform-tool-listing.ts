import { v5 as uuidFrom } from "uuid";
import { McpInteractionEntity } from "#shared/database/entities/mcp-interaction.ts";
import type { ExecutionRun } from "../execution-run.ts";
import { commitStep } from "../persist/commit-step.ts";
import { listTools, type ToolListing } from "./list-tools.ts";

/**
 * Requests the tools of the agent's servers and commits the listing. If no runner answers, the agent goes on without
 * tools and the record says why: an investigation from the alert alone is better than none.
 */
export async function performToolListing(run: ExecutionRun, serverIds: readonly string[]): Promise<void> {
  const { session, execution, state } = run;
  const servers = serverIds.map((id) => ({ id, tools: state.agent.tool_choice?.[id] ?? null }));
  const startedAt = performance.now();
  const listing = await listTools(session, { executionId: execution.execution_id, servers }, session.signal);
  if (listing.kind === "unavailable") {
    session.log.warn({ error: listing.message }, "agent runs without tools");
  }
  await recordToolListing(run, serverIds, listing, Math.round(performance.now() - startedAt));
}

/** Commits a listing as one row per server. Every later step reads the tools from these rows. */
async function recordToolListing(
  { session, execution }: ExecutionRun,
  serverIds: readonly string[],
  listing: ToolListing,
  durationMs: number,
): Promise<void> {
  const { session_id, stage_id, execution_id } = execution;
  await commitStep(session, async (manager) => {
    await manager.insert(
      McpInteractionEntity,
      serverIds.map((server) => ({
        interaction_id: uuidFrom(`listing:${server}`, execution_id),
        session_id,
        stage_id,
        execution_id,
        interaction_type: "tool_list" as const,
        server_name: server,
        available_tools:
          listing.kind === "listed" ? listing.tools.filter((tool) => tool.server === server) : [],
        duration_ms: durationMs,
        error_message: listingError(listing, server),
      })),
    );
    return { events: [] };
  });
}

function listingError(listing: ToolListing, server: string): string | null {
  if (listing.kind === "unavailable") return listing.message;
  const missing = listing.missing.filter((name) => name.startsWith(`${server}.`));
  return missing.length === 0 ? null : `asked for but not offered: ${missing.join(", ")}`;
}
