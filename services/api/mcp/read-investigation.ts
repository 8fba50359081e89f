import { compileParser } from "#shared/contracts/compile-parser.ts";
import { WaitingFor } from "#shared/contracts/iteration-state.ts";
import { literals } from "#shared/contracts/literals.ts";
import { stageText } from "#shared/contracts/stage-text.ts";
import { SESSION_STATUSES } from "#shared/contracts/statuses.ts";
import { isoText } from "#shared/database/iso-text.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { alertPreview } from "#shared/alert-preview.ts";
import type { ConclusionResponse } from "../conclusions/contract.ts";
import { conclusionView } from "../conclusions/conclusion-view.ts";
import { readConclusion, readQuoted } from "../conclusions/read-conclusion.ts";
import { Nullable, NullableText } from "../http/common-schemas.ts";
import { notFound } from "../http/request-error.ts";
import { ALERT_HEAD, STAGE_PLACE, StagePlace } from "../sessions/session-item-columns.ts";
import { beginningOf } from "./frame-text.ts";

const MAX_ANALYSIS = 20_000;
const MAX_SUMMARY = 4_000;
const SHOWN_ANSWERS = 3;

const State = Type.Object({
  status: literals(SESSION_STATUSES),
  created_at: Type.String(),
  updated_at: Type.String(),
  waiting_for: Nullable(WaitingFor),
  place: Nullable(StagePlace),
  error_message: NullableText,
  /** An answer in its chat is being written. */
  is_answering: Type.Boolean(),
});
/** Where a session stands. */
export type InvestigationState = Static<typeof State>;
const parseState = compileParser("state of an investigation", State);

const READ_STATE = `
SELECT s.status, ${isoText("s.created_at")} AS created_at, r.waiting_for, ${STAGE_PLACE} AS place, s.error_message,
  ${isoText("coalesce(s.completed_at, r.last_interaction_at, s.started_at, s.created_at)")} AS updated_at,
  EXISTS (SELECT FROM follow_ups f WHERE f.session_id = s.session_id AND f.kind = 'chat' AND f.status IN ('pending', 'active'))
    AS is_answering
FROM alert_sessions s JOIN session_runtime r USING (session_id) WHERE s.session_id = $1 AND s.deleted_at IS NULL`;

/** Where a session stands. Throws RequestError 404 if it was deleted meanwhile. */
export async function readState(db: Queryable, sessionId: string): Promise<InvestigationState> {
  const [state] = await selectRows(db, parseState, READ_STATE, [sessionId]);
  if (state === undefined) throw notFound();
  return state;
}

/** One sentence about a session that has not ended. */
export function progressOf({ status, waiting_for, place }: InvestigationState): string {
  if (waiting_for !== null) return `waits: ${waiting_for.reason}`;
  return place === null ? status : stageText(place);
}

const Texts = Type.Object({
  alert: Type.String(),
  analysis: NullableText,
  summary: NullableText,
  answers: Type.Array(Type.Object({ question: Type.String(), status: Type.String(), answer: NullableText })),
});
const parseTexts = compileParser("texts of an investigation", Texts);

const READ_TEXTS = `
SELECT ${ALERT_HEAD} AS alert, s.final_analysis AS analysis, s.executive_summary AS summary, coalesce((
  SELECT json_agg(json_build_object('question', asked.content, 'status', asked.status, 'answer', (
    SELECT t.content FROM timeline_events t
    WHERE t.stage_id = asked.stage_id AND t.event_type = 'final_analysis' ORDER BY t.sequence_number DESC LIMIT 1)) ORDER BY asked.created_at)
  FROM (SELECT m.content, m.created_at, f.status, f.stage_id
        FROM follow_ups f JOIN stages g USING (stage_id) JOIN chat_user_messages m ON m.message_id = g.chat_user_message_id
        WHERE f.session_id = $1 AND f.kind = 'chat' ORDER BY m.created_at DESC LIMIT ${SHOWN_ANSWERS}) AS asked), '[]') AS answers
FROM alert_sessions s WHERE s.session_id = $1 AND s.deleted_at IS NULL`;

/** What a client is shown of an investigation: facts of ours, and texts of others. */
export interface Investigation {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly texts: Readonly<Record<string, string>>;
}

/** Reads an investigation of which the caller may know. `pageUrl` is where the page is. Throws RequestError 404, and database errors. */
export async function readInvestigation(
  db: Queryable,
  sessionId: string,
  { state, pageUrl }: { readonly state: InvestigationState; readonly pageUrl: string },
): Promise<Investigation> {
  const [texts] = await selectRows(db, parseTexts, READ_TEXTS, [sessionId]);
  if (texts === undefined) throw notFound();
  const stored = await readConclusion(db, sessionId);
  const conclusion = stored === null ? null : conclusionView(stored, await readQuoted(db, sessionId, stored));
  return {
    facts: {
      session_id: sessionId,
      status: state.status,
      created_at: state.created_at,
      updated_at: state.updated_at,
      waiting_for: state.waiting_for?.kind ?? null,
      is_answering: state.is_answering,
      url: `${pageUrl}/sessions/${sessionId}`,
      conclusion: conclusion === null ? null : factsOf(conclusion),
    },
    texts: {
      alert: alertPreview(texts.alert),
      progress: state.place === null && state.waiting_for === null ? "" : progressOf(state),
      error: state.error_message ?? "",
      "executive summary": beginningOf(texts.summary ?? "", MAX_SUMMARY),
      "checked conclusion": conclusion === null ? "" : conclusionText(conclusion),
      "final analysis": beginningOf(texts.analysis ?? "", MAX_ANALYSIS),
      ...Object.fromEntries(texts.answers.map((one, index) => [`question ${index + 1}`, answerText(one)])),
    },
  };
}

function answerText({ question, status, answer }: Static<typeof Texts>["answers"][number]): string {
  const given = answer === null ? `(no answer yet: ${status})` : beginningOf(answer, MAX_ANALYSIS);
  return `${beginningOf(question, MAX_SUMMARY)}\n\n${given}`;
}

/** What others do not have: how much of it was found word by word. */
function factsOf({ status, stated_status, confidence, claims, ...counts }: ConclusionResponse) {
  const { claims_verified, claims_total } = counts;
  // Their ids are a model's words.
  const outcomes = claims.map(({ outcome }) => outcome);
  return { status, stated_status, confidence, claims_verified, claims_total, outcomes };
}

function conclusionText({ summary, causes, claims, ruled_out, gaps }: ConclusionResponse): string {
  return [
    summary ?? "",
    ...causes.map(({ entity, kind, statement }) => `cause: ${entity} (${kind}): ${statement}`),
    ...claims.map(({ id, outcome, text, source, line_from: line, quote }) => {
      const place = line === null ? source : `${source}, line ${line}`;
      return `claim ${id} [${outcome}]: ${text}\n  quote from ${place}: "${quote}"`;
    }),
    ...ruled_out.map(({ theory, because, outcome }) => `ruled out [${outcome}]: ${theory}: ${because}`),
    ...gaps.map((gap) => `not known: ${gap}`),
  ]
    .filter((line) => line !== "")
    .join("\n");
}
