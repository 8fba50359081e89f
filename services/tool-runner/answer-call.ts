import { setTimeout as wait } from "node:timers/promises";
import type { AuditLog } from "#shared/access/audit-log.ts";
import {
  CLAIM_REFUSALS,
  REPLY_WITHIN_MS,
  type ToolCallAnswer,
  type ToolCallOutcome,
  type ToolCallReply,
  type ToolCallRequest,
} from "#shared/contracts/tool-call.ts";
import { claimToolCall, type ToolCallClaim } from "#shared/database/claim-tool-call.ts";
import { isDatabaseRetryable } from "#shared/database/database-retryable.ts";
import type { RecordedToolCall } from "#shared/database/read-tool-call.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import { pollOutcome } from "./poll-outcome.ts";
import { toolCallEntry } from "./tool-call-entry.ts";
import type { RunningCall, RunningCalls } from "./running-calls.ts";
import type { Tool, ToolCatalogue } from "./tool.ts";
import type { Database } from "#shared/database/database.ts";

export interface CallDeps {
  readonly db: Database;
  readonly audit: AuditLog;
  readonly log: Logger;
  readonly tools: ToolCatalogue;
  readonly running: RunningCalls;
}

/** The caller reads a longer result from its row: a NATS server may limit messages to 1 MiB. */
const MAX_INLINE_CHARS = 32 * 1024;
const RUNNING: ToolCallAnswer = { kind: "running" };

/**
 * Starts the call unless its id is already taken, and answers with its outcome, or with `running` after 5 s. A repeated
 * request gets the same answer from any runner. Answers `busy` while Postgres is unavailable or too slow; throws other errors.
 */
export async function answerCall(deps: CallDeps, request: ToolCallRequest): Promise<ToolCallReply> {
  const { call_id } = request;
  try {
    return { call_id, answer: await answer(deps, request) };
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
  const tool = deps.tools.get(request.name);
  if (tool === undefined) return { kind: "unknown_tool" };
  const start = await claimAndStart(deps, request, tool);
  switch (start.kind) {
    case "started":
      return outcomeInTime(start.call);
    case "taken":
      return answerTaken(deps, request, start.call);
    case "busy":
    case "refused":
      return start;
    default:
      return start satisfies never;
  }
}

type Start =
  | Exclude<ToolCallClaim, { kind: "claimed" }>
  | { readonly kind: "started"; readonly call: RunningCall }
  | { readonly kind: "busy"; readonly message: string };

async function claimAndStart(
  { db, audit, log, running }: CallDeps,
  request: ToolCallRequest,
  tool: Tool,
): Promise<Start> {
  using slot = running.reserveSlot();
  if (slot === undefined) return { kind: "busy", message: "the tool-runner takes no more calls for now" };
  const claim = await claimToolCall(
    db,
    {
      callId: request.call_id,
      sessionId: request.session_id,
      executionId: request.execution_id,
      epoch: request.epoch,
      name: request.name,
      readOnly: tool.description.read_only,
    },
    { server: tool.description.server, position: request.position },
  );
  // A takeover or a cancel refuses calls in the ordinary course of things.
  if (claim.kind === "refused" && CLAIM_REFUSALS.some((reason) => reason === claim.reason)) {
    const { call_id, session_id, execution_id, name } = request;
    log.warn({ call_id, session_id, execution_id, name, reason: claim.reason }, "tool call refused");
    audit.record({ ...toolCallEntry({ ...request, reason: claim.reason }), result: "refused" });
  }
  return claim.kind === "claimed" ? { kind: "started", call: running.start(request, tool) } : claim;
}

async function answerTaken(
  { db, running }: CallDeps,
  request: ToolCallRequest,
  { sessionId, name, progress }: RecordedToolCall,
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
  const answered = new AbortController();
  const timeout = wait(REPLY_WITHIN_MS, RUNNING, { signal: answered.signal });
  timeout.catch(() => undefined); // aborted below
  try {
    return await Promise.race([outcome.then(inlineOrStored), timeout]);
  } finally {
    answered.abort();
  }
}

function inlineOrStored(outcome: ToolCallOutcome): ToolCallAnswer {
  const isLong = outcome.kind === "result" && outcome.content.length > MAX_INLINE_CHARS;
  return isLong ? { kind: "stored" } : outcome;
}
