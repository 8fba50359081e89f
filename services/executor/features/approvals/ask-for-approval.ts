import { toolCallId, MAX_ARGUMENTS_CHARS } from "#shared/contracts/tool-call.ts";
import { toolGate } from "#shared/contracts/tool-list.ts";
import { DEFAULT_APPROVAL_TIMEOUT_MS } from "#shared/contracts/resolved-chain.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { callsOfAnswer } from "../../controllers/parallel-calls.ts";
import type { RequestedCall, RunTool } from "../../core/agent-state.ts";
import type { ExecutionRun } from "../../core/execution-run.ts";
import { closeApprovals, requestApproval, type CallInQuestion } from "../../persist/approval-rows.ts";
import { commitLocked } from "../../persist/commit-step.ts";
import { recordUnfinishedStep, unfinishedStep } from "../../persist/unfinished-step.ts";
import { callArguments } from "../../tools/record-tool-call.ts";
import type { ToolOutcome } from "../../tools/tool-outcome.ts";
import { waitFrom, type AgentWait } from "../../core/wait.ts";
import { isoText } from "#shared/database/iso-text.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { APPROVALS } from "#shared/database/tables/approvals.ts";

/** The permission for a call that is due. */
type Permission =
  /** No approval is needed, or it was given. */
  | { readonly kind: "given" }
  | { readonly kind: "refused"; readonly outcome: ToolOutcome }
  /** There is no decision yet. */
  | { readonly kind: "waiting"; readonly wait: AgentWait };

/** The most characters of a person's reason that the model gets. */
const MAX_REASON_CHARS = 2_000;

/**
 * Finds out whether a call may be made that a person must agree to. The first time the question and its event are committed
 * with what the agent waits for, and with them the questions about all later calls of the same answer; later, by this owner or
 * another one, the question's row says what was decided. A question whose time is over is closed under the lock under which
 * people decide, so that only one of the two happens.
 */
export async function askForApproval(run: ExecutionRun, step: RunTool): Promise<Permission> {
  const { session, state, steps } = run;
  const { call } = step;
  if (!needsApproval(run, call)) return { kind: "given" };
  if (state.iteration.masked_arguments?.includes(call.index) === true) {
    return { kind: "refused", outcome: { kind: "refused", message: notAskable(call.name) } };
  }
  const question = questionAbout(run, step);
  if (question === null) return { kind: "given" };
  const { callId } = question;
  await steps.commit();
  let approval = await readApproval(session.db, callId);
  if (approval === undefined) {
    await ask(run, step, question);
    approval = await readApproval(session.db, callId);
  }
  if (approval?.state === "awaiting_approval" && approval.is_over) {
    const { sessionId } = session;
    await commitLocked(session, async (rows) => [
      await closeApprovals(rows, sessionId, { onlyOverdue: true }),
    ]);
    approval = await readApproval(session.db, callId);
  }
  if (approval === undefined) throw new Error(`the question about call ${callId} is gone`);
  const permission = permissionOf(approval);
  // It was asked with an earlier call, which was what the agent waited for.
  if (permission.kind === "waiting" && unfinishedStep(run, step).waiting === null) {
    const { inboxSeq: _read, ...waiting } = permission.wait;
    steps.add(recordUnfinishedStep(run, { ...unfinishedStep(run, step), waiting }));
  }
  return permission;
}

/** Commits the question about a call that is due, and those about the calls behind it, to be decided in any order. */
async function ask(run: ExecutionRun, step: RunTool, due: Question): Promise<void> {
  const { session, execution, state, steps } = run;
  const wait = waitFrom(session.clock, null, {
    kind: "approval",
    reason: waitReason(step.call.name),
    delayMs: state.chain.approval_timeout_ms ?? DEFAULT_APPROVAL_TIMEOUT_MS,
    pauses_deadline: true,
  });
  const further = callsBehind(run, step).flatMap((call) => questionAbout(run, { ...step, call }) ?? []);
  for (const question of [due, ...further]) {
    steps.add(requestApproval(execution, { ...question, expiresAt: wait.until }));
    session.log.info({ call_id: question.callId, name: question.tool }, "approval requested");
  }
  steps.add(recordUnfinishedStep(run, { ...unfinishedStep(run, step), waiting: wait }));
  await steps.commit();
}

/** The later calls of the answer that a person can be asked about. */
function callsBehind(run: ExecutionRun, { call, asObservation }: RunTool): readonly RequestedCall[] {
  // An answer in text has one call.
  if (asObservation) return [];
  const { masked_arguments = [] } = run.state.iteration;
  return callsOfAnswer(run.state).filter(
    (other) =>
      other.index > call.index && !masked_arguments.includes(other.index) && needsApproval(run, other),
  );
}

function needsApproval({ state }: ExecutionRun, call: RequestedCall): boolean {
  const tool = state.tools?.find(({ name }) => name === call.name);
  return tool !== undefined && toolGate(tool, state.agent, state.chain) === "ask";
}

type Question = Pick<CallInQuestion, "callId" | "tool" | "arguments">;

/** Null for a call with so many arguments that it is not made anyway. */
function questionAbout(
  { execution, state }: ExecutionRun,
  step: Pick<RunTool, "call" | "asObservation">,
): Question | null {
  const { index, name, rawArguments } = step.call;
  const written = callArguments(step, rawArguments);
  if (written.length > MAX_ARGUMENTS_CHARS) return null;
  const callId = toolCallId(execution.execution_id, { iteration: state.iteration.iteration, index });
  return { callId, tool: name, arguments: written };
}

function permissionOf(approval: StoredApproval): Permission {
  const { tool, state, requested_at, expires_at, inbox_seq } = approval;
  switch (state) {
    case "awaiting_approval": {
      const reason = waitReason(tool);
      const wait = { kind: "approval", reason, since: requested_at, until: expires_at } as const;
      return { kind: "waiting", wait: { ...wait, pauses_deadline: true, inboxSeq: inbox_seq } };
    }
    case "approved":
      return { kind: "given" };
    case "denied":
    case "expired":
      return { kind: "refused", outcome: refusal(approval, state) };
    default:
      return state satisfies never;
  }
}

function waitReason(tool: string): string {
  return `approval of "${tool}" is pending`;
}

function notAskable(tool: string): string {
  return `"${tool}" needs approval, but its arguments contain secrets, which are not stored while a decision is pending; the call was not made`;
}

function refusal({ tool, reason }: StoredApproval, state: "denied" | "expired"): ToolOutcome {
  if (state === "expired") {
    return { kind: "refused", message: `this call of "${tool}" was not approved in time; it was not made` };
  }
  const message = `a person denied this call of "${tool}"; it was not made`;
  if (reason === null || reason === "") return { kind: "refused", message };
  return { kind: "refused", message, reason: reason.slice(0, safeCut(reason, MAX_REASON_CHARS)) };
}

const StoredApproval = Type.Object({
  /** Times in ISO 8601, by the database's clock. */
  ...rowMembers(APPROVALS, "approval_id", "tool", "state", "requested_at", "expires_at", "reason"),
  /** True once the time for a decision is over. */
  is_over: Type.Boolean(),
  /** The newest entry of the session's inbox when this was read; every decision makes one. */
  inbox_seq: Type.Integer(),
});
type StoredApproval = Static<typeof StoredApproval>;

const parse = compileParser("approval", StoredApproval);

const READ = `
SELECT a.approval_id, a.tool, a.state, a.reason, a.expires_at <= clock_timestamp() AS is_over, r.inbox_seq,
       ${isoText("a.requested_at")} AS requested_at,
       ${isoText("a.expires_at")} AS expires_at
FROM approvals a JOIN session_runtime r USING (session_id) WHERE a.call_id = $1`;

/** The question about the call of this id, that of its first attempt; undefined if there was none. */
async function readApproval(db: Queryable, callId: string): Promise<StoredApproval | undefined> {
  const [row] = await selectRows(db, parse, READ, [callId]);
  return row;
}
