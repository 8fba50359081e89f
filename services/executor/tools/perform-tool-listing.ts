import { uuidFrom } from "#shared/uuid-from.ts";
import { BUILT_IN_SERVER } from "#shared/contracts/tool-names.ts";
import { SERVERS_WAIT_MS } from "#shared/contracts/durations.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { WaitingFor } from "#shared/contracts/iteration-state.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { BUILT_IN_TOOLS } from "../controllers/built-in-tools.ts";
import type { StepOf } from "../core/agent-state.ts";
import { timelineOf, type ExecutionRun } from "../core/execution-run.ts";
import type { StepRecord } from "../persist/step-record.ts";
import { recordUnfinishedStep, unfinishedStep } from "../persist/unfinished-step.ts";
import { ofExecution } from "../state/step-rows.ts";
import { retryDelay, waitFrom, waitedMs } from "../core/wait.ts";
import {
  listTools,
  type ToolListing,
  type ToolServer,
  NOT_OFFERED,
  NO_RUNNER,
  STALE,
  joinRemarks,
} from "./list-tools.ts";
import { listFromRecord } from "./recorded/list-from-record.ts";
import { listFromWorld } from "./recorded/list-from-world.ts";
import { TOOL_TIMEOUTS } from "./tool-timeouts.ts";

/** The part of a session's time that an agent keeps for an investigation without tools. */
const TIME_KEPT = 1 / 3;

/**
 * Requests the tools of the agent's servers and adds the listing to its steps. While no runner answers, or none can list any
 * of the servers for now, adds and returns what the agent waits for; null otherwise. An agent goes on without tools only if
 * there are none, if its servers could not be listed for a minute, or if little of the session's time is left: an
 * investigation from the alert alone is better than none. The session is then marked as degraded, and an `error` row says why.
 */
export async function performToolListing(
  run: ExecutionRun,
  step: StepOf["list-tools"],
): Promise<WaitingFor | null> {
  const { session, execution, state, steps } = run;
  await steps.commit();
  const servers = step.serverIds.map((id) => ({
    id,
    tools: state.agent.tool_choice?.[id] ?? null,
  }));
  const startedAt = performance.now();
  const asked = { executionId: execution.execution_id, servers };
  const keptMs = session.clock.timeoutMs * TIME_KEPT;
  const patienceMs = Math.max(
    0,
    Math.min(TOOL_TIMEOUTS.listing.patienceMs, session.clock.timeLeftMs() - keptMs),
  );
  const timeouts = { ...TOOL_TIMEOUTS, listing: { ...TOOL_TIMEOUTS.listing, patienceMs } };
  const listing =
    session.tools.source === "recorded"
      ? await listFromRecord(session, asked)
      : session.tools.source === "world"
        ? await listFromWorld(session, servers)
        : await listTools(session, asked, session.signals.cancelled, timeouts);
  if (listing.kind === "unavailable" || (listing.kind === "listed" && listing.mayComeLater)) {
    const unfinished = unfinishedStep(run, step);
    const delayMs = retryDelay(session.clock, unfinished.waiting, "tools");
    const limitMs = listing.kind === "listed" ? SERVERS_WAIT_MS : Number.POSITIVE_INFINITY;
    const isPatient = waitedMs(session.clock, unfinished.waiting, "tools") + delayMs <= limitMs;
    if (isPatient && session.clock.timeLeftMs() - delayMs >= keptMs) {
      const waiting = waitFrom(session.clock, unfinished.waiting, {
        kind: "tools",
        reason: postgresSafeText(lossOfTools(servers, listing) ?? "").text,
        delayMs,
        pauses_deadline: false,
      });
      steps.add(recordUnfinishedStep(run, { ...unfinished, waiting }));
      return waiting;
    }
  }
  steps.add(recordToolListing(run, servers, listing, Math.round(performance.now() - startedAt)));
  return null;
}

/** The step that records a listing as one row per server, and one of the built-in tools if there is any other. Every later step has the tools from these rows. */
function recordToolListing(
  run: ExecutionRun,
  servers: readonly ToolServer[],
  listing: ToolListing,
  durationMs: number,
): StepRecord {
  const { session, execution, state } = run;
  const row = (server: string, tools: readonly ToolDescription[]) => ({
    interaction_id: uuidFrom(`listing:${server}`, execution.execution_id),
    ...ofExecution(execution),
    interaction_type: "tool_list" as const,
    server_name: server,
    tool_name: null,
    tool_arguments: null,
    tool_result: listingResult(listing, server),
    available_tools: tools,
    duration_ms: durationMs,
    error_message: listingError(listing, server),
  });
  const tools = listing.kind === "listed" ? listing.tools : [];
  const mcpInteractions = servers.map(({ id }) =>
    row(
      id,
      tools.filter((tool) => tool.server === id),
    ),
  );
  if (tools.length > 0) mcpInteractions.push(row(BUILT_IN_SERVER, BUILT_IN_TOOLS));
  const loss = lossOfTools(servers, listing);
  if (loss === null) return { rows: { mcpInteractions }, events: [] };
  session.log.error({ execution_id: execution.execution_id, error: loss }, "agent goes on without tools");
  const timeline = timelineOf(run, state.iteration.iteration);
  const content = postgresSafeText(`The agent goes on without tools: ${loss}`).text;
  timeline.add({ key: "listing", type: "error", content, metadata: null, interactionId: null });
  const { rows, events } = timeline.record();
  return { rows: { ...rows, mcpInteractions, session: { degraded: true } }, events };
}

/** Why an agent that should have tools has none; null if it has tools, or if none were selected for it. */
function lossOfTools(servers: readonly ToolServer[], listing: ToolListing): string | null {
  if (listing.kind !== "listed") return listing.message;
  const wanted = servers.filter(({ tools }) => tools?.length !== 0).map(({ id }) => id);
  if (listing.tools.length > 0 || wanted.length === 0) return null;
  const named = wanted.length === 1 ? `its server ${wanted.join()}` : `its servers ${wanted.join(", ")}`;
  const reasons = wanted.flatMap((id) => listing.failed.get(id)?.message ?? []);
  if (reasons.length === wanted.length) return `${named} cannot be listed (${reasons.join("; ")})`;
  const why = reasons.length === 0 ? "" : ` (${reasons.join("; ")})`;
  return `${named} ${wanted.length === 1 ? "offers" : "offer"} none that it may use${why}`;
}

/** A listing that failed has a result with the code of the reason; any other has only its tools. */
function listingResult(listing: ToolListing, server: string): object | null {
  const failed =
    listing.kind === "listed" ? listing.failed.get(server) : { code: NO_RUNNER, message: listing.message };
  if (failed === undefined) return null;
  return { content: postgresSafeText(failed.message).text, is_error: true, code: failed.code };
}

function listingError(listing: ToolListing, server: string): string | null {
  if (listing.kind !== "listed") return listing.message;
  const failure = listing.failed.get(server);
  if (failure !== undefined) return postgresSafeText(failure.message).text;
  const missing = listing.missing.filter((name) => name.startsWith(`${server}.`));
  const remarks = [
    ...(listing.stale.has(server) ? [STALE] : []),
    ...[listing.leftOut.get(server)].filter((remark) => remark !== undefined),
    ...(missing.length === 0 ? [] : [`${NOT_OFFERED}${missing.join(", ")}`]),
  ];
  const joined = joinRemarks(remarks);
  return joined === null ? null : postgresSafeText(joined).text;
}
