import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { readMessages } from "../../notifications/slack/read-messages.ts";
import { SlackError, isRefusedApp, type SlackApi } from "../../notifications/slack/slack-api.ts";
import { readMention, type SlackApp } from "./read-envelope.ts";
import type { ExternalEvent } from "./external-event.ts";

const WITHIN_MS = 60 * 60_000;
const MAX_THREADS = 100;

const parseThread = compileParser("thread", Type.Object({ channel: Type.String(), thread: Type.String() }));
const RECENT = `
SELECT channel, thread_ts AS thread FROM slack_threads WHERE touched_at > now() - interval '1 hour' OR is_live
ORDER BY touched_at DESC LIMIT ${MAX_THREADS}`;

/**
 * Reads the mentions of the last hour in the newest threads, and passes them on: Slack forgets what it could not deliver. What was received
 * is known by its key. Rejects with SlackError and what `store` rejects with.
 */
export async function recoverMentions(
  { db, slack, app }: { readonly db: Queryable; readonly slack: SlackApi; readonly app: SlackApp },
  store: (event: ExternalEvent) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const sinceMs = Date.now() - WITHIN_MS;
  for (const where of await selectRows(db, parseThread, RECENT, [])) {
    try {
      for await (const message of readMessages(slack, { ...where, sinceMs }, signal)) {
        if (message.text?.includes(`<@${app.bot}>`) !== true) continue;
        const event = readMention({ ...message, channel: where.channel }, app);
        if (event !== undefined) await store(event);
      }
    } catch (error) {
      // Of a thread or a channel that is gone there is nothing to find; the others are read.
      if (!(error instanceof SlackError) || error.code === undefined || isRefusedApp(error)) throw error;
    }
  }
}
