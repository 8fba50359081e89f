import {
  CONCLUSION_CONTRACT,
  CONCLUSION_RULES,
  type CheckedClaim,
  type Conclusion,
} from "#shared/contracts/conclusion.ts";
import { NO_FAILURES, type ConclusionState } from "#shared/contracts/iteration-state.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { CONCLUSIONS, type StoredClaim } from "#shared/database/tables/conclusions.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { ExecutionRun } from "../../core/execution-run.ts";
import type { StepRecord } from "../../persist/step-record.ts";
import { checkReport } from "../../prompts/conclusion-prompts.ts";
import { ofExecution, type NewConclusion } from "../../state/step-rows.ts";
import { TextThreadError } from "../../tools/built-in/text-thread.ts";
import type { ToolOutcome } from "../../tools/tool-outcome.ts";
import { checkedStatus } from "./checked-status.ts";
import { MAX_ATTEMPTS, NOTHING_STATED } from "./decide-conclusion.ts";
import { readConclusion } from "./read-conclusion.ts";
import { readJoinedAlerts, readSources } from "./read-sources.ts";
import { verifyInThread } from "./verify-in-thread.ts";
import type { Citation, Source } from "./verify-quotes.ts";

/** A checked conclusion: what the model reads, and the step that stores it, which is committed with that. */
export interface CheckedConclusion {
  readonly outcome: Extract<ToolOutcome, { readonly kind: "result" }>;
  /** Null for a conclusion that is not taken. */
  readonly effect: StepRecord | null;
  readonly state: ConclusionState;
}

const NO_ROOM = "The conclusion has been stated and cannot be changed any more. Give your answer now.";

/**
 * Checks a conclusion as a model stated it, against rows that are committed: a repeated check gives the same. One that cannot be read
 * counts as an attempt, too, and does not replace one that could. Throws database errors, an error if the comparison takes too long for the first time, and the signal's reason.
 */
export async function checkConclusion(
  run: ExecutionRun,
  stated: unknown,
  signal: AbortSignal,
): Promise<CheckedConclusion> {
  const state = run.state.iteration.conclusion ?? NOTHING_STATED;
  if (state.attempts >= MAX_ATTEMPTS) return { outcome: ownText(NO_ROOM, true), effect: null, state };
  const attempt = state.attempts + 1;
  const read = readConclusion(stated, run.state.agent.conclusion_names);
  if ("problem" in read) {
    const next = { ...state, attempts: attempt, failing: 1 };
    return {
      outcome: ownText(read.problem, true),
      effect: attempt === 1 ? unreadable(run, attempt, read.problem) : null,
      state: next,
    };
  }
  const { conclusion, corrected: remarks } = read;
  const checked = await compare(run, conclusion, signal);
  const failing = checked.filter(({ outcome }) => outcome !== "verified" && outcome !== "unchecked").length;
  const report = checkReport(checked, {
    mayRepeat: attempt < MAX_ATTEMPTS,
    remarks,
    nonce: run.state.alert.nonce,
  });
  const dropped = attempt === 1 ? [] : await droppedClaims(run, conclusion);
  const claims = checked.filter(({ list }) => list === "claim");
  const row = {
    status: checkedStatus(conclusion, checked),
    stated_status: conclusion.status,
    confidence: conclusion.confidence,
    body: conclusion,
    remarks: [...remarks],
    checked: [...checked, ...dropped],
    claims_verified: claims.filter(({ outcome }) => outcome === "verified").length,
    claims_total: claims.length,
  };
  return {
    outcome: ownText(report, false),
    effect: recorded(run, attempt, row),
    state: { ...state, attempts: attempt, failing },
  };
}

/** The step after which an agent ends with the answer that it has: no conclusion of it is asked for any more, for this reason. */
export function endUnstated(run: ExecutionRun, reason: string): StepRecord {
  const { execution_id } = run.execution;
  const { iteration } = run.state;
  const { conclusion = NOTHING_STATED } = iteration;
  const over = { ...conclusion, attempts: MAX_ATTEMPTS, failing: 0 };
  const change = { execution_id, iteration_state: { ...iteration, ...NO_FAILURES, conclusion: over } };
  // One that was checked counts.
  const stored = conclusion.attempts === 0 ? unreadable(run, 1, reason) : { rows: {}, events: [] };
  return { ...stored, rows: { ...stored.rows, executionChanges: [change] } };
}

function unreadable(run: ExecutionRun, attempt: number, reason: string): StepRecord {
  return recorded(run, attempt, {
    status: "unchecked",
    stated_status: null,
    confidence: null,
    body: null,
    remarks: [reason],
    checked: [],
    claims_verified: 0,
    claims_total: 0,
  });
}

function recorded(
  { session, execution }: ExecutionRun,
  attempt: number,
  row: Omit<NewConclusion, "execution_id" | "attempt" | "contract" | "rules">,
): StepRecord {
  const { execution_id } = execution;
  const { status, claims_verified, claims_total } = row;
  return {
    rows: {
      conclusions: [
        { execution_id, attempt, contract: CONCLUSION_CONTRACT, rules: CONCLUSION_RULES, ...row },
      ],
    },
    events: [
      {
        type: "conclusion.checked",
        session_id: session.sessionId,
        ...ofExecution(execution),
        attempt,
        status,
        claims_verified,
        claims_total,
      },
    ],
  };
}

async function compare(
  { session, execution, state }: ExecutionRun,
  { claims, ruled_out }: Conclusion,
  signal: AbortSignal,
): Promise<StoredClaim[]> {
  const citations: Citation[] = [
    ...claims.map(({ id: claim_id, source, lines, quote }) => ({
      claim_id,
      list: "claim" as const,
      source,
      lines,
      quote,
    })),
    ...ruled_out.map(({ source, lines, quote }, index) => ({
      claim_id: `out${index + 1}`,
      list: "ruled_out" as const,
      source,
      lines,
      quote,
    })),
  ];
  const results = await readSources(session.db, {
    sessionId: session.sessionId,
    executionId: execution.execution_id,
    named: citations.map(({ source }) => source),
  });
  const { alert, chain } = state;
  const given: Source[] = [
    { id: "alert", kind: "alert", text: alert.data },
    ...(await readJoinedAlerts(session.db, session.sessionId)),
    { id: "runbook", kind: "runbook", text: alert.runbookText ?? chain.default_runbook },
  ];
  const sources = results.map(({ interactionId: _id, ...source }) => source);
  const checked = await verified(citations, [...sources, ...given], {
    signal,
    isLastTry: (state.iteration.unfinished_step?.failed_tries ?? 0) > 0,
  });
  const idOf = new Map(results.map(({ id, interactionId }) => [id, interactionId]));
  return checked.map((claim) => ({ ...claim, interaction_id: idOf.get(claim.source ?? "") ?? null }));
}

/** A comparison that takes too long counts as a failed try of the step; when it fails once more, its quotes stay unchecked. */
async function verified(
  citations: readonly Citation[],
  sources: readonly Source[],
  { signal, isLastTry }: { readonly signal: AbortSignal; readonly isLastTry: boolean },
): Promise<CheckedClaim[]> {
  try {
    return await verifyInThread(citations, sources, signal);
  } catch (error) {
    if (!isLastTry || !(error instanceof TextThreadError)) throw error;
    const nothing = {
      note: null,
      source: null,
      line_from: null,
      line_to: null,
      at_text: null,
      found_in: null,
    };
    return citations.map(({ claim_id, list }) => ({ claim_id, list, outcome: "unchecked", ...nothing }));
  }
}

const parseBefore = compileParser(
  "conclusion before",
  Type.Object({ ...rowMembers(CONCLUSIONS, "body", "checked") }),
);

const BEFORE = "SELECT body, checked FROM conclusions WHERE execution_id = $1 AND attempt = 1";

/** The claims of the first attempt that were not verified and that this one does not repeat: they keep their first outcome. */
async function droppedClaims(
  { session, execution }: ExecutionRun,
  { claims }: Conclusion,
): Promise<StoredClaim[]> {
  const [before] = await selectRows(session.db, parseBefore, BEFORE, [execution.execution_id]);
  const texts = new Map((before?.body?.claims ?? []).map(({ id, text }) => [id, text]));
  const isKept = ({ claim_id }: CheckedClaim) =>
    claims.some(({ id, text }) => id === claim_id || text === texts.get(claim_id));
  const dropped = (before?.checked ?? []).filter(
    (claim) => claim.list === "claim" && claim.outcome !== "verified" && !isKept(claim),
  );
  return dropped.map((claim) => ({ ...claim, list: "dropped" as const }));
}

function ownText(content: string, isError: boolean): CheckedConclusion["outcome"] {
  return { kind: "result", content, isError, isOwnText: true };
}
