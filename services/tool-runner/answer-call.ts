import type { SessionCleanups } from "./session-cleanups.ts";
import { createHash } from "node:crypto";
import type { AuditLog } from "#shared/access/audit-log.ts";
import {
  toolCallId,
  CLAIM_REFUSALS,
  REPLY_WITHIN_MS,
  type ToolCallAnswer,
  type ToolCallOutcome,
  type ToolCallReply,
  type ToolCallRequest,
} from "#shared/contracts/tool-call.ts";
import { isRepeatable, stricterEffect, NOT_LISTED_YET } from "#shared/contracts/tool-list.ts";
import {
  claimToolCall,
  type RequiredApproval,
  type ToolCallClaim,
} from "#shared/database/claim-tool-call.ts";
import { isDatabaseRetryable } from "#shared/database/connection/database-retryable.ts";
import { readToolCall, type ClaimedToolCall } from "#shared/database/read-tool-call.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { HeldExecutions } from "./held-executions.ts";
import type { McpServers } from "./mcp/mcp-servers.ts";
import { pollOutcome } from "./call-rows.ts";
import { toolCallEntry } from "#shared/access/tool-call-entry.ts";
import type { RunningCall, RunningCalls } from "./running-calls.ts";
import { type Tool, type ToolCatalogue, hasStubs } from "./tool.ts";
import type { Database } from "#shared/database/database.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import { isAccepted, isOffered } from "#shared/agent-config/tool-rules.ts";
import type { ListedTool } from "./mcp/list-tools.ts";

export interface CallDeps {
  readonly db: Database;
  readonly audit: AuditLog;
  readonly log: Logger;
  readonly tools: ToolCatalogue;
  /** Absent where no MCP server is configured. */
  readonly servers?: McpServers;
  /** Keyed by id, why a configured server cannot be used. */
  readonly unavailable?: ReadonlyMap<string, string>;
  readonly running: RunningCalls;
  /** Absent where no MCP server is configured. */
  readonly held?: Pick<HeldExecutions, "isHome" | "release">;
  readonly cleanups?: Pick<SessionCleanups, "remember">;
  /** A UUID of this process. */
  readonly runnerId: string;
}

/** The caller reads a longer result from its row: a NATS server may limit messages to 1 MiB. */
const MAX_INLINE_CHARS = 32 * 1024;
const RUNNING: ToolCallAnswer = { kind: "running" };

/**
 * Starts the call unless its id is already taken, and answers with its outcome, or with `running` after 5 s. A repeated
 * request gets the same answer from any runner; the reply names this one if it has connections of the execution's own. Answers `busy` while Postgres is unavailable or too slow; throws other errors.
 */
export async function answerCall(deps: CallDeps, request: ToolCallRequest): Promise<ToolCallReply> {
  const { call_id } = request;
  try {
    const given = await answer(deps, request);
    const isHome = deps.held?.isHome(request.execution_id) === true;
    return { call_id, answer: given, ...(isHome ? { runner: deps.runnerId } : {}) };
  } catch (error) {
    if (!isDatabaseRetryable(error)) throw error;
    deps.log.warn({ call_id, error: errorMessage(error) }, "tool call deferred: Postgres unavailable");
    return { call_id, answer: { kind: "busy", message: "the tool-runner's database is not available" } };
  }
}

async function answer(deps: CallDeps, request: ToolCallRequest): Promise<ToolCallAnswer> {
  const mine = deps.running.find(request.call_id);
  if (mine !== undefined) {
    return isSameCall(request, mine.request.session_id, mine.request.name)
      ? outcomeInTime(mine)
      : { kind: "refused", reason: "id_taken" };
  }
  const found = await findTool(deps, request);
  const start =
    found.kind === "tool"
      ? await claimAndStart(deps, request, found.tool)
      : await refuse(deps, request, found.kind);
  switch (start.kind) {
    case "started":
      return outcomeInTime(start.call);
    case "taken":
      return answerTaken(deps, request, start.call);
    case "busy":
    case "refused":
    case "unknown_tool":
      return start;
    default:
      return start satisfies never;
  }
}

type CallStart =
  | Exclude<ToolCallClaim, { kind: "claimed" }>
  | { readonly kind: "started"; readonly call: RunningCall }
  | { readonly kind: "unknown_tool" }
  | { readonly kind: "refused"; readonly reason: "tool_changed" }
  | { readonly kind: "busy"; readonly message: string };

async function claimAndStart(
  { db, audit, log, running, runnerId }: CallDeps,
  request: ToolCallRequest,
  tool: Tool,
): Promise<CallStart> {
  const { server, gate = "allow", needs_approval: needsApproval = false } = tool.description;
  const { effect: own = tool.description.read_only ? "read" : "write" } = tool.description;
  const effect = stricterEffect(own, request.effect ?? own);
  const approval = needsApproval ? approvalOf(request) : null;
  using slot = running.reserveSlot();
  if (slot === undefined) return { kind: "busy", message: "the tool-runner takes no more calls for now" };
  const claim = await claimToolCall(
    db,
    { ...claimable(request), readOnly: isRepeatable(effect) },
    { server, position: request.position, effect, runner: runnerId, gate, approval },
  );
  // A takeover or a cancel refuses calls in the ordinary course of things.
  if (claim.kind === "refused" && CLAIM_REFUSALS.some((reason) => reason === claim.reason)) {
    recordRefusal({ audit, log }, request, claim.reason);
  }
  return claim.kind === "claimed" ? { kind: "started", call: running.start(request, tool, effect) } : claim;
}

/**
 * Refuses a call of a tool that this runner does not offer, not now, or in another form than the execution got; a call
 * that was claimed before has its outcome. What is refused because the tool has changed is abandoned first: another runner may
 * still know the tool as it was.
 */
async function refuse(
  { db, audit, log }: CallDeps,
  request: ToolCallRequest,
  why: Exclude<FoundTool["kind"], "tool">,
): Promise<CallStart> {
  if (why === "changed") {
    const claim = await claimToolCall(db, { ...claimable(request), readOnly: false }, "abandoned");
    if (claim.kind !== "claimed") return claim;
    recordRefusal({ audit, log }, request, "tool_changed");
    return { kind: "refused", reason: "tool_changed" };
  }
  const call = await readToolCall(db, request.call_id);
  if (call !== undefined) return { kind: "taken", call };
  return why === "unknown"
    ? { kind: "unknown_tool" }
    : { kind: "busy", message: "the server's tools are not known yet" };
}

function claimable({ call_id, session_id, execution_id, epoch, name }: ToolCallRequest) {
  return { callId: call_id, sessionId: session_id, executionId: execution_id, epoch, name };
}

function approvalOf(request: ToolCallRequest): RequiredApproval {
  const argumentsHash = createHash("sha256").update(request.arguments).digest("hex");
  return { callId: toolCallId(request.execution_id, request.position), argumentsHash };
}

function recordRefusal(
  { audit, log }: Pick<CallDeps, "audit" | "log">,
  request: ToolCallRequest,
  reason: string,
): void {
  const { call_id, session_id, execution_id, name } = request;
  log.warn({ call_id, session_id, execution_id, name, reason }, "tool call refused");
  audit.record({ ...toolCallEntry({ ...request, reason }), result: "refused" });
}

async function answerTaken(
  { db, running }: CallDeps,
  request: ToolCallRequest,
  { sessionId, name, progress }: ClaimedToolCall,
): Promise<ToolCallAnswer> {
  if (!isSameCall(request, sessionId, name)) return { kind: "refused", reason: "id_taken" };
  if (progress.kind === "abandoned") return { kind: "refused", reason: "abandoned" };
  if (progress.kind === "over") return inlineOrStored(progress.outcome);
  const mine = running.find(request.call_id);
  if (mine !== undefined) return outcomeInTime(mine);
  const outcome = await pollOutcome(db, request.call_id, REPLY_WITHIN_MS);
  return outcome.kind === "running" ? RUNNING : inlineOrStored(outcome);
}

function isSameCall(request: ToolCallRequest, sessionId: string, name: string): boolean {
  return request.session_id.toLowerCase() === sessionId.toLowerCase() && request.name === name;
}

/** The call's outcome, or `running` after `REPLY_WITHIN_MS`. */
async function outcomeInTime({ outcome }: RunningCall): Promise<ToolCallAnswer> {
  const { promise: late, resolve } = Promise.withResolvers<ToolCallAnswer>();
  const timer = setTimeout(() => resolve(RUNNING), REPLY_WITHIN_MS);
  try {
    return await Promise.race([outcome.then(inlineOrStored), late]);
  } finally {
    clearTimeout(timer);
  }
}

function inlineOrStored(outcome: ToolCallOutcome): ToolCallAnswer {
  const isLong = outcome.kind === "result" && outcome.content.length > MAX_INLINE_CHARS;
  return isLong ? { kind: "stored" } : outcome;
}

type FoundTool =
  | { readonly kind: "tool"; readonly tool: Tool }
  /** Its server has another definition of it, or none, than the one that the execution got. */
  | { readonly kind: "changed" }
  | { readonly kind: "unknown" }
  /** The server was asked for its tools and has not answered yet. */
  | { readonly kind: "not_listed_yet" };

/** The time for which a call waits for a list of its server's tools before it is claimed; a reply is due within 5 s. */
const LIST_WAIT_MS = 2_000;

/**
 * The tool of a call, as this runner knows it. A stub hides the tool of the same name, and its server the one of the same id.
 * A tool is called only as its server has listed it: where the request has another definition, the server is asked again,
 * because this runner's list may be the older one.
 */
export async function findTool(
  { tools: stubs, servers }: { readonly tools: ToolCatalogue; readonly servers?: McpServers },
  {
    name,
    definition_hash: hash,
    execution_id: executionId,
  }: Pick<ToolCallRequest, "name" | "definition_hash" | "execution_id">,
): Promise<FoundTool> {
  const { server: id = "", tool = "" } = splitToolName(name) ?? {};
  const server = servers?.find(id);
  if (server === undefined || hasStubs(stubs, id)) {
    const stub = stubs.get(name);
    return stub === undefined ? { kind: "unknown" } : { kind: "tool", tool: stub };
  }
  if (!isOffered(server.settings, tool)) return { kind: "unknown" };
  if (server.listing.last === undefined) {
    const known = await server.listing.get(LIST_WAIT_MS, executionId);
    if (known.kind === "failed") {
      if (known.code === "timeout" || known.code === NOT_LISTED_YET) return { kind: "not_listed_yet" };
      return { kind: "tool", tool: server.unlistedTool(tool, known.message) };
    }
  }
  const find = () => server.listing.last?.tools.find((one) => one.name === tool);
  // The list has no tool that is held back. A call is checked all the same: it is the last door.
  const isWanted = (one: ListedTool) =>
    (hash === undefined || hash === one.hash) && isAccepted(server.settings, one.name, one.hash);
  let listed = find();
  if (listed === undefined || !isWanted(listed)) {
    await untilAborted(server.probe(executionId), AbortSignal.timeout(LIST_WAIT_MS)).catch(() => undefined);
    listed = find();
  }
  if (listed !== undefined && isWanted(listed)) return { kind: "tool", tool: server.tool(listed) };
  return { kind: hash === undefined ? "unknown" : "changed" };
}

/** Splits "server.tool" at the first dot: the tool's own name may contain more. Undefined without a dot or a part. */
function splitToolName(name: string): { readonly server: string; readonly tool: string } | undefined {
  const dot = name.indexOf(".");
  if (dot <= 0 || dot === name.length - 1) return undefined;
  return { server: name.slice(0, dot), tool: name.slice(dot + 1) };
}
