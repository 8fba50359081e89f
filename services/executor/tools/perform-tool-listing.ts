import { v5 as uuidFrom } from "uuid";
import type { WaitingFor } from "#shared/contracts/waiting-for.ts";
import { AlertSessionEntity } from "#shared/database/entities/alert-session.ts";
import { McpInteractionEntity } from "#shared/database/entities/mcp-interaction.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { ListTools } from "../controllers/controller.ts";
import type { ExecutionRun } from "../execution-run.ts";
import { commitStep } from "../persist/commit-step.ts";
import { openTimelineWriter } from "../persist/timeline-writer.ts";
import { recordUnfinishedStep, unfinishedStep } from "../persist/unfinished-step.ts";
import { retryDelay, waitFrom } from "../wait.ts";
import { listTools, type ToolListing, type ToolServer } from "./list-tools.ts";

/** The part of a session's time that an agent keeps for an investigation without tools. */
const TIME_KEPT = 1 / 3;

/**
 * Requests the tools of the agent's servers and commits the listing. While no runner answers, commits and returns what
 * the agent waits for; null otherwise. An agent goes on without tools only if there are none, or if little of the
 * session's time is left: an investigation from the alert alone is better than none. The session is then marked as
 * degraded, and an `error` row says why.
 */
export async function performToolListing(run: ExecutionRun, step: ListTools): Promise<WaitingFor | null> {
  const { session, execution, state } = run;
  const servers = step.serverIds.map((id) => ({ id, tools: state.agent.tool_choice?.[id] ?? null }));
  const startedAt = performance.now();
  const listing = await listTools(session, { executionId: execution.execution_id, servers }, session.signal);
  if (listing.kind === "unavailable") {
    const unfinished = unfinishedStep(run, step);
    const delayMs = retryDelay(session, unfinished.waiting, "tools");
    if (session.timeLeftMs() - delayMs >= session.timeoutMs * TIME_KEPT) {
      const waiting = waitFrom(session, unfinished.waiting, {
        kind: "tools",
        reason: postgresSafeText(listing.message).text,
        delayMs,
        pauses_deadline: false,
      });
      await recordUnfinishedStep(run, { ...unfinished, waiting });
      return waiting;
    }
  }
  await recordToolListing(run, servers, listing, Math.round(performance.now() - startedAt));
  return null;
}

/** Commits a listing as one row per server. Every later step reads the tools from these rows. */
async function recordToolListing(
  { session, execution, state }: ExecutionRun,
  servers: readonly ToolServer[],
  listing: ToolListing,
  durationMs: number,
): Promise<void> {
  const { session_id, stage_id, execution_id } = execution;
  const loss = lossOfTools(servers, listing);
  if (loss !== null) session.log.error({ execution_id, error: loss }, "agent goes on without tools");
  const timeline = await openTimelineWriter(session, execution, state.iteration.iteration);
  await commitStep(session, async (manager) => {
    await manager.insert(
      McpInteractionEntity,
      servers.map(({ id: server }) => ({
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
    if (loss === null) return { events: [] };
    await manager.update(AlertSessionEntity, { session_id }, { degraded: true });
    const content = postgresSafeText(`The agent goes on without tools: ${loss}`).text;
    const row = { key: "listing", type: "error", content, metadata: null, interactionId: null } as const;
    return { events: [await timeline.add(manager, row)] };
  });
}

/** Why an agent that should have tools has none; null if it has tools, or if none were selected for it. */
function lossOfTools(servers: readonly ToolServer[], listing: ToolListing): string | null {
  if (listing.kind !== "listed") return listing.message;
  const wanted = servers.filter(({ tools }) => tools?.length !== 0).map(({ id }) => id);
  if (listing.tools.length > 0 || wanted.length === 0) return null;
  return wanted.length === 1
    ? `its server ${wanted.join()} offers none that it may use`
    : `its servers ${wanted.join(", ")} offer none that it may use`;
}

function listingError(listing: ToolListing, server: string): string | null {
  if (listing.kind !== "listed") return listing.message;
  const missing = listing.missing.filter((name) => name.startsWith(`${server}.`));
  return missing.length === 0 ? null : `asked for but not offered: ${missing.join(", ")}`;
}
