import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { SlackError, isRefusedApp, type SlackApi } from "../../notifications/slack/slack-api.ts";
import { readMention, type SlackApp } from "./read-envelope.ts";
import type { ExternalEvent } from "./external-event.ts";

const WITHIN_MS = 60 * 60_000;
const MAX_THREADS = 100;
const MAX_MESSAGES = 200;
const TIMEOUT_MS = 5_000;

const parseThread = compileParser(
  "thread",
  Type.Object({ channel: Type.String(), thread_ts: Type.String() }),
);
const RECENT = `
SELECT channel, thread_ts FROM slack_threads WHERE touched_at > now() - interval '1 hour' OR is_live
ORDER BY touched_at DESC LIMIT ${MAX_THREADS}`;
const parseReplies = compileParser(
  "messages of a thread",
  Type.Object({ messages: Type.Array(Type.Object({ text: Type.Optional(Type.String()) })) }),
);

/**
 * Reads the mentions of the last hour in the newest threads, and passes them on: Slack forgets what it could not deliver. What was received
 * is known by its key. Rejects with SlackError and what `store` rejects with.
 */
export async function recoverMentions(
  { db, slack, app }: { readonly db: Queryable; readonly slack: SlackApi; readonly app: SlackApp },
  store: (event: ExternalEvent) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const oldest = ((Date.now() - WITHIN_MS) / 1_000).toFixed(6);
  for (const { channel, thread_ts: ts } of await selectRows(db, parseThread, RECENT, [])) {
    const given = { channel, ts, oldest, limit: MAX_MESSAGES };
    const call = { method: "conversations.replies", timeoutMs: TIMEOUT_MS, arguments: given } as const;
    const { messages } = await slack.call(call, parseReplies, signal).catch((error: unknown) => {
      // Of a thread or a channel that is gone there is nothing to find; the others are read.
      if (!(error instanceof SlackError) || error.code === undefined || isRefusedApp(error)) throw error;
      return { messages: [] };
    });
    for (const message of messages) {
      if (message.text?.includes(`<@${app.bot}>`) !== true) continue;
      const event = readMention({ ...message, channel }, app);
      if (event !== undefined) await store(event);
    }
  }
}
