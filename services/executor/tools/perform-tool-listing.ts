import { listTools } from "./list-tools.ts";
import { recordToolListing } from "./record-tool-listing.ts";
import type { ExecutionRun } from "../execution-run.ts";

/**
 * Asks the agent's servers for their tools and commits what they listed. Servers that cannot be asked leave the agent
 * without tools, and a record that says why: an investigation from the alert alone is better than none.
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
