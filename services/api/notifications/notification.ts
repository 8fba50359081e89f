import { isoText } from "#shared/database/iso-text.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { BudgetCause } from "#shared/contracts/budget.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { ALERT_SESSIONS } from "#shared/database/tables/alert-sessions.ts";
import { APPROVALS } from "#shared/database/tables/approvals.ts";
import { NEWEST_CONCLUSION } from "../conclusions/read-conclusion.ts";
import { SentConclusion } from "#shared/contracts/webhook-message.ts";
import type { ClaimedNotification } from "./claim-notifications.ts";

/** Characters of texts that are read for a notification. */
const MAX_ANALYSIS = 20_000;
const MAX_ERROR = 2_000;
const MAX_ARGUMENTS = 2_000;

const Text = Type.Union([Type.String(), Type.Null()]);

const SessionNews = Type.Object({
  ...rowMembers(ALERT_SESSIONS, "session_id", "alert_type", "chain_id", "status", "created_at"),
  ...rowMembers(ALERT_SESSIONS, "started_at", "completed_at", "error_message", "executive_summary"),
  /** The first 20,000 characters. */
  ...rowMembers(ALERT_SESSIONS, "final_analysis"),
  is_analysis_complete: Type.Boolean(),
  fingerprint: Text,
  /** A person started it in Slack: the fingerprint names the thread. */
  is_from_slack: Type.Boolean(),
  /** Absent for a session without one. */
  conclusion: Type.Optional(SentConclusion),
});
/** What there is to say of a session; the texts are masked, as they are stored. */
export type SessionNews = Static<typeof SessionNews>;

const ApprovalNews = Type.Object({
  ...rowMembers(APPROVALS, "approval_id", "tool", "arguments", "expires_at", "arguments_hash"),
  agent_name: Text,
  /** Of `arguments` there are the first 2,000 characters. */
  are_arguments_complete: Type.Boolean(),
});
/** A call that a person is asked about. */
export type ApprovalNews = Static<typeof ApprovalNews>;

/** The answer to a question that was asked in a thread. */
export interface ChatAnswer {
  /** Null where there is none, because answering failed. */
  readonly text: string | null;
  readonly channel: string;
  readonly thread: string;
}

interface News {
  /** The same at every attempt. */
  readonly dedupKey: string;
  /** When it happened, ISO 8601. */
  readonly at: string;
  /** The session's URL on the page. */
  readonly url: string;
  readonly session: SessionNews;
}

/** What a receiver is sent. */
export type Notification = News &
  (
    | { readonly kind: "session.started" | "session.ended" }
    | { readonly kind: "approval.requested"; readonly approval: ApprovalNews }
    | { readonly kind: "budget.soft_limit" | "budget.exceeded"; readonly budget: BudgetCause }
    | { readonly kind: "chat.answered"; readonly answer: ChatAnswer }
  );

const parseRow = compileParser(
  "news of a session",
  Type.Object({
    session: SessionNews,
    approval: Type.Union([ApprovalNews, Type.Null()]),
    deleted: Type.Boolean(),
    is_open: Type.Boolean(),
  }),
);

const READ = `
SELECT s.deleted_at IS NOT NULL AS deleted,
  coalesce(a.state = 'awaiting_approval' AND a.expires_at > clock_timestamp(), false) AS is_open,
  jsonb_build_object('session_id', s.session_id, 'alert_type', s.alert_type, 'chain_id', s.chain_id, 'status', s.status,
    'created_at', ${isoText("s.created_at")}, 'started_at', ${isoText("s.started_at")},
    'completed_at', ${isoText("s.completed_at")}, 'error_message', left(s.error_message, ${MAX_ERROR}),
    'executive_summary', left(s.executive_summary, ${MAX_ANALYSIS}),
    'final_analysis', left(s.final_analysis, ${MAX_ANALYSIS}),
    'is_analysis_complete', coalesce(char_length(s.final_analysis), 0) <= ${MAX_ANALYSIS},
    'fingerprint', s.slack_message_fingerprint, 'is_from_slack', coalesce(s.owner_subject LIKE 'slack:%', false)) || coalesce(c.member, '{}') AS session,
  CASE WHEN a.approval_id IS NOT NULL THEN
    jsonb_build_object('approval_id', a.approval_id, 'agent_name', e.agent_name, 'tool', a.tool,
      'arguments_hash', a.arguments_hash, 'arguments', left(a.arguments, ${MAX_ARGUMENTS}),
      'are_arguments_complete', char_length(a.arguments) <= ${MAX_ARGUMENTS},
      'expires_at', ${isoText("a.expires_at")}) END AS approval
FROM alert_sessions s
  LEFT JOIN approvals a ON a.approval_id = $2 AND a.session_id = s.session_id
  LEFT JOIN agent_executions e USING (execution_id)
  LEFT JOIN LATERAL (
    SELECT jsonb_build_object('conclusion', jsonb_build_object('status', c.status, 'stated_status', c.stated_status,
        'confidence', c.confidence, 'summary', c.body->'summary', 'causes', coalesce(c.body->'causes', '[]'),
        'claims_verified', c.claims_verified, 'claims_total', c.claims_total)) AS member
    FROM conclusions c WHERE c.session_id = s.session_id ${NEWEST_CONCLUSION}) c ON true
WHERE s.session_id = $1`;

const READ_ANSWER = `
SELECT left(t.content, ${MAX_ANALYSIS}) AS text FROM stages s JOIN timeline_events t USING (session_id, stage_id)
WHERE s.chat_user_message_id = $1 AND t.event_type = 'final_analysis' AND t.status = 'completed'
ORDER BY t.created_at DESC LIMIT 1`;
const parseAnswer = compileParser("answer to a question", Type.Object({ text: Text }));

/** A notification, or why it is not worth sending any more. */
export type ReadNotification = { readonly notification: Notification } | { readonly obsolete: string };

/** Reads what a claimed row of the outbox is about, with today's rows: what has ended does not change any more. */
export async function readNotification(
  db: Queryable,
  { session_id, kind, dedup_key: dedupKey, created_at: at, payload }: ClaimedNotification,
  pageUrl: string,
): Promise<ReadNotification> {
  const [row] = await selectRows(db, parseRow, READ, [session_id, payload.approval_id ?? null]);
  if (row === undefined || row.deleted) return { obsolete: "the session was deleted" };
  const { approval, is_open } = row;
  const news = { dedupKey, at, url: `${pageUrl}/sessions/${session_id}` };
  switch (kind) {
    case "session.started":
      return { notification: { ...news, kind, session: asStarted(row.session) } };
    case "session.ended":
      return { notification: { ...news, kind, session: row.session } };
    case "approval.requested":
      if (approval === null || !is_open) return { obsolete: "the approval is not awaited any more" };
      return { notification: { ...news, kind, session: asStarted(row.session), approval } };
    case "budget.soft_limit":
    case "budget.exceeded":
      if (payload.budget === undefined) return { obsolete: "the budget is not named" };
      return { notification: { ...news, kind, session: row.session, budget: payload.budget } };
    case "chat.answered": {
      const { message_id = null, channel = "", thread_ts: thread = "" } = payload;
      const [answered] = await selectRows(db, parseAnswer, READ_ANSWER, [message_id]);
      const answer = { text: answered?.text ?? null, channel, thread };
      return { notification: { ...news, kind, session: row.session, answer } };
    }
    default:
      return kind satisfies never;
  }
}

/** As it was when it began, although it may have ended before its news could be sent. */
function asStarted({ conclusion: _later, ...session }: SessionNews): SessionNews {
  const ended = { completed_at: null, error_message: null, executive_summary: null, final_analysis: null };
  return { ...session, ...ended, status: "in_progress", is_analysis_complete: true };
}
