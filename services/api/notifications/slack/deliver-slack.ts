import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Attempt, Delivery, Destination } from "../destination.ts";
import type { Outbound } from "../http/outbound.ts";
import type { Notification } from "../notification.ts";
import { SLACK } from "../notify-plans.ts";
import type { SlackSettings } from "../read-settings.ts";
import { findSent, findThread } from "./find-messages.ts";
import { SlackTs } from "./read-messages.ts";
import { SlackApi, SlackError } from "./slack-api.ts";
import { slackMessage } from "./slack-message.ts";

const POST_TIMEOUT_MS = 10_000;
/** Clocks differ: a message sent earlier is looked for from so long before it happened. */
const CLOCKS_DIFFER_MS = 5 * 60_000;

const parseThread = compileParser("thread of a session", Type.Object({ thread_ts: Type.String() }));
const KNOWN_THREAD = `
SELECT receipt->>'thread_ts' AS thread_ts FROM outbox
WHERE session_id = $1 AND destination = '${SLACK}' AND state = 'sent' AND receipt->>'channel' = $2 AND receipt ? 'thread_ts'
ORDER BY id DESC LIMIT 1`;

const parsePosted = compileParser("posted message", Type.Object({ ts: SlackTs }));

/** A channel in Slack. One message at a time, because Slack takes about one a second. */
export function slackChannel(
  settings: SlackSettings,
  { db, outbound }: { readonly db: Queryable; readonly outbound: Outbound },
): Destination {
  const { channel } = settings;
  const api = new SlackApi(settings, outbound);
  return {
    name: SLACK,
    address: channel,
    parallel: 1,
    deliver: async (notification, attempt, signal) => {
      try {
        return await deliver(notification, attempt, { api, db, channel, signal });
      } catch (error) {
        if (error instanceof SlackError) return error.delivery;
        throw error;
      }
    },
  };
}

interface Slack {
  readonly api: SlackApi;
  readonly db: Queryable;
  readonly channel: string;
  readonly signal: AbortSignal;
}

async function deliver(notification: Notification, { isUnsure }: Attempt, slack: Slack): Promise<Delivery> {
  const { api, channel, signal } = slack;
  const thread = await threadOf(notification, slack);
  const place = { channel, ...(thread === undefined ? {} : { thread_ts: thread }) };
  if (isUnsure) {
    const ts = await sentBefore(notification, thread, slack);
    if (ts !== undefined) return { outcome: "sent", receipt: { ...place, ts } };
  }
  const { ts } = await api.call(
    {
      method: "chat.postMessage",
      timeoutMs: POST_TIMEOUT_MS,
      arguments: {
        ...place,
        ...slackMessage(notification),
        parse: "none",
        link_names: false,
        unfurl_links: false,
        unfurl_media: false,
      },
    },
    parsePosted,
    signal,
  );
  return { outcome: "sent", receipt: { ...place, ts } };
}

/** That of the session's earlier messages, else that of the message which its fingerprint names. */
async function threadOf({ session }: Notification, slack: Slack): Promise<string | undefined> {
  const { api, db, channel, signal } = slack;
  const [known] = await selectRows(db, parseThread, KNOWN_THREAD, [session.session_id, channel]);
  return known?.thread_ts ?? findThread(api, { channel, fingerprint: session.fingerprint }, signal);
}

/** An attempt may have found no thread where there is one now: both places are searched. */
async function sentBefore(
  notification: Notification,
  thread: string | undefined,
  { api, channel, signal }: Slack,
): Promise<string | undefined> {
  const sinceMs = Date.parse(notification.at) - CLOCKS_DIFFER_MS;
  const inThread =
    thread === undefined
      ? undefined
      : await findSent(api, { channel, thread, sinceMs }, notification, signal);
  return inThread ?? findSent(api, { channel, sinceMs }, notification, signal);
}
