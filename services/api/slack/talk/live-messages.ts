import { createHash } from "node:crypto";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { holdChannel, takeSlot } from "../../notifications/slack/channel-slots.ts";
import {
  SlackError,
  isChannelGone,
  isMessageGone,
  isRefusedApp,
  parseDone,
  type SlackApi,
} from "../../notifications/slack/slack-api.ts";
import { liveMessage } from "../../notifications/slack/slack-message.ts";

/** Longer than an edit may take: an end waits so long for a process that dies. */
const FLUSH_SECONDS = 15;
const EVERY_SECONDS = 3;

const Text = Type.Union([Type.String(), Type.Null()]);
const parseLive = compileParser(
  "message about a session",
  Type.Object({
    channel: Type.String(),
    thread_ts: Type.String(),
    message_ts: Type.String(),
    body_sha256: Text,
    session_id: Type.String(),
    alert_type: Text,
    status: Type.String(),
    is_parked: Type.Boolean(),
    is_waiting: Type.Boolean(),
    is_asking: Type.Boolean(),
    stage_name: Text,
    agents: Type.Array(Type.String()),
    last_step: Text,
  }),
);

const CLAIM = `
WITH due AS (
  SELECT channel, thread_ts FROM slack_threads
  WHERE is_live AND message_ts IS NOT NULL AND flush_at <= now() AND (flushing_until IS NULL OR flushing_until < now())
  ORDER BY flush_at LIMIT 20 FOR NO KEY UPDATE SKIP LOCKED
), claimed AS (
  UPDATE slack_threads t SET flush_at = now() + interval '${EVERY_SECONDS} s', flushing_until = now() + interval '${FLUSH_SECONDS} s'
  FROM due WHERE t.channel = due.channel AND t.thread_ts = due.thread_ts AND t.is_live
  RETURNING t.channel, t.thread_ts, t.message_ts, t.body_sha256, t.session_id
)
SELECT c.*, s.alert_type, s.status::text AS status, coalesce(r.park_until > clock_timestamp(), false) AS is_parked,
  coalesce(r.parked_at IS NOT NULL, false) AS is_waiting,
  EXISTS (SELECT FROM approvals a WHERE a.session_id = c.session_id AND a.state = 'awaiting_approval') AS is_asking,
  (SELECT g.stage_name FROM stages g WHERE g.session_id = c.session_id ORDER BY g.stage_index DESC LIMIT 1) AS stage_name,
  ARRAY(SELECT e.agent_name FROM agent_executions e WHERE e.session_id = c.session_id AND e.status = 'active'
        ORDER BY e.agent_index LIMIT 5) AS agents,
  (SELECT k.name FROM tool_calls k WHERE k.session_id = c.session_id ORDER BY k.started_at DESC LIMIT 1) AS last_step
FROM claimed c JOIN alert_sessions s USING (session_id) LEFT JOIN session_runtime r USING (session_id)`;

const DONE = `
UPDATE slack_threads SET flushing_until = NULL, body_sha256 = $3, is_live = is_live AND $4
WHERE channel = $1 AND thread_ts = $2 AND message_ts = $5`;

interface LiveDeps {
  readonly db: Queryable;
  readonly slack: SlackApi;
  readonly pageUrl: string;
}

/**
 * Brings the messages about running sessions up to date, each every few seconds at most, and one a second in a channel. The text is made
 * of the rows, so the newest one wins, and the same one is not sent again. Rejects with SlackError where Slack refuses the app, and with
 * database errors.
 */
export async function flushLiveMessages(
  { db, slack, pageUrl }: LiveDeps,
  signal: AbortSignal,
): Promise<void> {
  for (const row of await selectRows(db, parseLive, CLAIM, [])) {
    const { channel, thread_ts, message_ts: ts, session_id } = row;
    const message = liveMessage({ ...row, state: stateOf(row) }, `${pageUrl}/sessions/${session_id}`);
    const body = createHash("sha256").update(JSON.stringify(message)).digest("hex");
    const done = async (sha: string | null, isLive: boolean) =>
      db.query(DONE, [channel, thread_ts, sha, isLive, ts]);
    const isOver = row.status !== "pending" && row.status !== "in_progress" && row.status !== "cancelling";
    if (isOver || body === row.body_sha256 || !(await takeSlot(db, channel))) {
      await done(row.body_sha256, true);
      continue;
    }
    try {
      const call = {
        method: "chat.update",
        arguments: { channel, ts, ...message },
      } as const;
      await slack.call(call, parseDone, signal);
      await done(body, true);
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      const { delivery, code = "" } = error;
      if (delivery.outcome === "failed" && delivery.retryAfterMs !== undefined) {
        await holdChannel(db, channel, delivery.retryAfterMs);
      }
      // One that is not answered may arrive later, and the session's end must not arrive before it.
      if (code === "" && delivery.outcome === "failed" && delivery.retryAfterMs === undefined) continue;
      await done(row.body_sha256, !isMessageGone(error) && !isChannelGone(error));
      if (isRefusedApp(error)) throw error;
    }
  }
}

function stateOf({
  status,
  is_parked,
  is_waiting,
  is_asking,
  stage_name,
}: ReturnType<typeof parseLive>): string {
  if (status === "cancelling") return "Being cancelled";
  if (is_parked) return "Parked";
  if (is_waiting) return "Waits for a place";
  if (is_asking) return "Waits for a decision";
  return stage_name === null ? "Processing started" : `Investigating: ${stage_name}`;
}
