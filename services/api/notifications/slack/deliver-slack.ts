import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Attempt, Delivery, Destination } from "../destination.ts";
import type { Outbound } from "../http/outbound.ts";
import type { Notification } from "../notification.ts";
import { SLACK } from "../notify-plans.ts";
import type { SlackSettings } from "../read-settings.ts";
import { findSent, findThread } from "./find-messages.ts";
import { SlackTs } from "./read-messages.ts";
import { SlackApi, SlackError, isChannelGone, isMessageGone } from "./slack-api.ts";
import { slackMessage, type SlackButtons } from "./slack-message.ts";
import { awaitSlot } from "./channel-slots.ts";
import { SLACK_PLACE } from "./slack-place.ts";
import { endLiveMessage, rememberThread } from "./slack-threads.ts";

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
  const { channel, listening } = settings;
  const api = new SlackApi(settings, outbound);
  const buttons = { approvals: listening?.approvals === true, reviews: listening !== undefined };
  return {
    name: SLACK,
    address: channel,
    parallel: 1,
    deliver: async (notification, attempt, signal) => {
      const slack = { api, db, channel, buttons, isListening: listening !== undefined, signal };
      try {
        const edited = slack.isListening ? await editLiveMessage(notification, slack) : undefined;
        return edited ?? (await deliver(notification, attempt, slack));
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
  readonly buttons: SlackButtons;
  /** Threads are kept, because people answer there, and the rate of a channel holds for all apis together. */
  readonly isListening: boolean;
  readonly signal: AbortSignal;
}

/** The end of a session replaces the message about its course; undefined if there is none that can be edited. */
async function editLiveMessage(notification: Notification, slack: Slack): Promise<Delivery | undefined> {
  if (notification.kind !== "session.ended") return undefined;
  const { api, db, buttons, signal } = slack;
  const live = await endLiveMessage(db, notification.session.session_id, signal);
  if (live === undefined) return undefined;
  const { channel, thread: thread_ts, ts } = live;
  await awaitSlot(db, channel, signal);
  try {
    const given = { channel, ts, ...slackMessage(notification, buttons) };
    const call = { method: "chat.update", timeoutMs: POST_TIMEOUT_MS, arguments: given } as const;
    await api.call(call, parsePosted, signal);
    return { outcome: "sent", receipt: { channel, thread_ts, ts } };
  } catch (error) {
    if (isMessageGone(error) || isChannelGone(error)) return undefined;
    throw error;
  }
}

async function deliver(notification: Notification, { isUnsure }: Attempt, slack: Slack): Promise<Delivery> {
  const place = await placeOf(notification, slack);
  try {
    return await deliverTo(place, notification, { isUnsure, slack });
  } catch (error) {
    // The channel of the configuration can be repaired; another one must not hold up what is for others.
    if (place.channel === slack.channel || !isChannelGone(error)) throw error;
    return { outcome: "refused", error: errorMessage(error) };
  }
}

async function deliverTo(
  place: Place,
  notification: Notification,
  { isUnsure, slack }: Attempt & { readonly slack: Slack },
): Promise<Delivery> {
  if (isUnsure) {
    const ts = await sentBefore(notification, place, slack);
    if (ts !== undefined) return sent(notification, { ...place, ts }, slack);
  }
  if (slack.isListening) await awaitSlot(slack.db, place.channel, slack.signal);
  const { ts } = await slack.api.call(
    {
      method: "chat.postMessage",
      timeoutMs: POST_TIMEOUT_MS,
      arguments: {
        ...place,
        ...slackMessage(notification, slack.buttons),
        parse: "none",
        link_names: false,
        unfurl_links: false,
        unfurl_media: false,
      },
    },
    parsePosted,
    slack.signal,
  );
  return sent(notification, { ...place, ts }, slack);
}

/** A death between the post and this is one more attempt, which finds the message. */
async function sent(
  { kind, session }: Notification,
  receipt: Place & { readonly ts: string },
  { db, isListening }: Slack,
): Promise<Delivery> {
  if (isListening) {
    const { channel, thread_ts: thread = receipt.ts } = receipt;
    const isLive = kind === "session.started";
    const messageTs = isLive || kind === "session.ended" ? receipt.ts : null;
    await rememberThread(db, { channel, thread, sessionId: session.session_id, messageTs, isLive });
  }
  return { outcome: "sent", receipt: { ...receipt } };
}

interface Place {
  readonly channel: string;
  readonly thread_ts?: string;
}

/** The thread of a question, of the mention that started the session, of its earlier messages, or of that which its fingerprint names. */
async function placeOf(notification: Notification, slack: Slack): Promise<Place> {
  const { session } = notification;
  if (notification.kind === "chat.answered") {
    const { channel, thread } = notification.answer;
    return { channel, thread_ts: thread };
  }
  const started = session.is_from_slack ? SLACK_PLACE.exec(session.fingerprint ?? "")?.groups : undefined;
  const { channel: there, thread: itsThread } = started ?? {};
  if (there !== undefined && itsThread !== undefined) return { channel: there, thread_ts: itsThread };
  const { api, db, channel, signal } = slack;
  const [known] = await selectRows(db, parseThread, KNOWN_THREAD, [session.session_id, channel]);
  const { fingerprint } = session;
  const thread_ts = known?.thread_ts ?? (await findThread(api, { channel, fingerprint }, signal));
  return { channel, ...(thread_ts === undefined ? {} : { thread_ts }) };
}

/** An attempt may have found no thread where there is one now: both places are searched. */
async function sentBefore(
  notification: Notification,
  { channel, thread_ts: thread }: Place,
  { api, signal }: Slack,
): Promise<string | undefined> {
  const sinceMs = Date.parse(notification.at) - CLOCKS_DIFFER_MS;
  const inThread =
    thread === undefined
      ? undefined
      : await findSent(api, { channel, thread, sinceMs }, notification, signal);
  return inThread ?? findSent(api, { channel, sinceMs }, notification, signal);
}
