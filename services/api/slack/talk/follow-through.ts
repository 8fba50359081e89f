import { randomUUID } from "node:crypto";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { backoff } from "#shared/pause.ts";
import { awaitSlot } from "../../notifications/slack/channel-slots.ts";
import { SLACK } from "../../notifications/notify-plans.ts";
import {
  SlackError,
  isChannelGone,
  isMessageGone,
  isRefusedApp,
  parseDone,
  type SlackApi,
} from "../../notifications/slack/slack-api.ts";
import { escapeMrkdwn } from "../../notifications/slack/slack-message.ts";

const SAID = ["eyes", "check", "text", "decided"] as const;
const Optional = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const Row = Type.Object({
  id: Type.Integer(),
  actor: Type.String(),
  awaits: literals(SAID),
  attempts: Type.Integer(),
  result: Type.Object({
    channel: Type.String(),
    ts: Optional,
    thread: Optional,
    text: Optional,
    message_id: Optional,
    question_id: Optional,
  }),
});
type Waiting = Static<typeof Row>;
const parseRow = compileParser("what is to be said in Slack", Row);

const LEASE_SECONDS = 30;
const MAX_TEXT = 2_900;
const RETRIES = { firstMs: 2_000, lastMs: 5 * 60_000 };
/** What is said later helps no one. */
const MAX_ATTEMPTS = 12;

/** An agent has read the note; where none did before the session ended, there is nothing to say. */
const READ = `
UPDATE external_events e SET not_before = clock_timestamp(), attempts = 0,
  awaits = CASE WHEN EXISTS (SELECT FROM steering_deliveries d WHERE d.message_id = (e.result->>'message_id')::uuid) THEN 'check' END
WHERE e.awaits = 'read' AND (
  EXISTS (SELECT FROM steering_deliveries d WHERE d.message_id = (e.result->>'message_id')::uuid)
  OR NOT EXISTS (SELECT FROM alert_sessions s WHERE s.session_id = (e.result->>'session_id')::uuid AND s.completed_at IS NULL))`;

/** The answer is written, or will not be: its message is to be sent, which the same statement says. */
const ANSWERED = `
WITH over AS (
  UPDATE external_events e SET awaits = NULL FROM stages g
  WHERE e.awaits = 'answer' AND g.chat_user_message_id = (e.result->>'question_id')::uuid AND g.completed_at IS NOT NULL
  RETURNING e.result
)
INSERT INTO outbox (session_id, kind, destination, dedup_key, payload)
SELECT (result->>'session_id')::uuid, 'chat.answered', '${SLACK}', 'chat-answered:' || (result->>'question_id') || ':${SLACK}',
  jsonb_build_object('message_id', result->>'question_id', 'channel', result->>'channel', 'thread_ts', result->>'thread')
FROM over ON CONFLICT DO NOTHING`;

const CLAIM = `
WITH due AS (
  SELECT id FROM external_events WHERE awaits = ANY($1) AND not_before <= now()
    AND (lease_expires_at IS NULL OR lease_expires_at < now())
  ORDER BY awaits = 'text', not_before LIMIT 10 FOR NO KEY UPDATE SKIP LOCKED
), claimed AS (
  UPDATE external_events e SET attempts = e.attempts + 1, lease_token = $2,
    lease_expires_at = now() + make_interval(secs => ${LEASE_SECONDS})
  FROM due WHERE e.id = due.id RETURNING e.id, e.actor, e.awaits, e.attempts, e.result
)
SELECT * FROM claimed ORDER BY id`;

const SETTLE = `
UPDATE external_events SET awaits = $3, attempts = 0, not_before = clock_timestamp(), lease_token = NULL, lease_expires_at = NULL
WHERE id = $1 AND lease_token = $2`;
const LATER = `
UPDATE external_events SET lease_token = NULL, lease_expires_at = NULL, last_error = $3,
  not_before = clock_timestamp() + make_interval(secs => $4) WHERE id = $1 AND lease_token = $2`;

interface TalkDeps {
  readonly db: Queryable;
  readonly slack: SlackApi;
}

/**
 * Says in Slack what settled events still want: reactions, texts for one person, decided questions; all of them may be repeated. Answers
 * to questions go to the outbox. Rejects with SlackError where Slack refuses the app, and with database errors.
 */
export async function followThrough({ db, slack }: TalkDeps, signal: AbortSignal): Promise<number> {
  await db.query(READ);
  await db.query(ANSWERED);
  const token = randomUUID();
  const rows = await selectRows(db, parseRow, CLAIM, [[...SAID], token]);
  for (const row of rows) {
    try {
      await say(row, { db, slack }, signal);
      await db.query(SETTLE, [row.id, token, nextOf(row)]);
    } catch (error) {
      if (!(error instanceof SlackError) || isRefusedApp(error)) throw error;
      const { delivery } = error;
      const isOver = delivery.outcome !== "failed" || row.attempts >= MAX_ATTEMPTS || isPointless(error);
      if (isOver) await db.query(SETTLE, [row.id, token, nextOf(row)]);
      else {
        const ms = delivery.retryAfterMs ?? backoff(row.attempts, RETRIES);
        await db.query(LATER, [row.id, token, delivery.error.slice(0, 500), ms / 1_000]);
      }
    }
  }
  return rows.length;
}

/** Everything is as it should be, or cannot be. */
function isPointless(error: SlackError): boolean {
  const words = ["already_reacted", "user_not_in_channel", "too_many_reactions"];
  return isMessageGone(error) || isChannelGone(error) || words.includes(error.code ?? "");
}

function nextOf({ awaits, result }: Waiting): string | null {
  if (awaits !== "eyes") return null;
  if (typeof result.message_id === "string") return "read";
  return typeof result.question_id === "string" ? "answer" : null;
}

async function say(
  { actor, awaits, result }: Waiting,
  { db, slack }: TalkDeps,
  signal: AbortSignal,
): Promise<void> {
  const { channel, ts, thread, text } = result;
  const call = async (method: "chat.update" | "chat.postEphemeral" | "reactions.add", given: object) => {
    await slack.call({ method, arguments: { channel, ...given } }, parseDone, signal);
  };
  switch (awaits) {
    case "eyes":
    case "check":
      return call("reactions.add", { timestamp: ts, name: awaits === "eyes" ? "eyes" : "white_check_mark" });
    case "text": {
      await awaitSlot(db, channel, signal);
      const said = {
        user: actor,
        text: escapeMrkdwn(text ?? "", MAX_TEXT),
        link_names: false,
        parse: "none",
      };
      return call("chat.postEphemeral", {
        ...said,
        ...(typeof thread === "string" ? { thread_ts: thread } : {}),
      });
    }
    case "decided": {
      await awaitSlot(db, channel, signal);
      const block = { type: "section", text: { type: "mrkdwn", text: text ?? "" } };
      return call("chat.update", { ts, text: text ?? "", blocks: [block] });
    }
    default:
      return awaits satisfies never;
  }
}
