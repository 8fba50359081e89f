import { v5 as uuidFrom } from "uuid";
import { McpInteractionEntity } from "#shared/database/entities/mcp-interaction.ts";
import type { ExecutionRun } from "../execution-run.ts";
import type { ToolListing } from "./list-tools.ts";
import { commitStep } from "../persist/commit-step.ts";

/** Commits a listing: one record a server, which is where every later step takes the tools from. */
export async function recordToolListing(
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
        error_message: errorOf(listing, server),
      })),
    );
    return { events: [] };
  });
}

function errorOf(listing: ToolListing, server: string): string | null {
  if (listing.kind === "unavailable") return listing.message;
  const missing = listing.missing.filter((name) => name.startsWith(`${server}.`));
  return missing.length === 0 ? null : `asked for but not offered: ${missing.join(", ")}`;
}
