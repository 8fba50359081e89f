import { createHash } from "node:crypto";
import { authorize } from "#shared/access/authorize.ts";
import { findChain } from "#shared/agent-config/find-chain.ts";
import { readMessages, type SlackPost } from "../../notifications/slack/read-messages.ts";
import { slackPlace } from "../../notifications/slack/slack-place.ts";
import { rememberThread } from "../../notifications/slack/slack-threads.ts";
import { settleEvent } from "../events/event-store.ts";
import type { DeedOf } from "../events/external-event.ts";
import type { SlackDeps } from "../slack-deps.ts";
import { DeedRefused, type Deed, type Done } from "./effect.ts";

const ACTION = "alert.submit";
/** Of the message that a mention answers. */
const MAX_PARENT = 100_000;

/**
 * Returns what starts a session for a mention that is in no thread of one. The session's row names the thread, so its messages go there
 * whatever dies; the key of the submission is that of the event, so a repetition finds the session.
 */
export function startSessions(deps: SlackDeps): (mention: Deed<DeedOf<"mention">>) => Promise<Done> {
  const { config, db, settings, submitter } = deps;
  return async ({ event, deed, caller: { identity }, signal }) => {
    const { channel, thread, ts, text } = deed;
    if (!settings.startSessionsIn.has(channel)) {
      throw new DeedRefused(ACTION, "no session belongs to this thread, and none is started in this channel");
    }
    authorize(identity, ACTION);
    const alert_type = settings.alertType ?? "";
    const teams = findChain(config.agents, alert_type)?.chain.teams ?? [];
    if (teams.length > 0 && !teams.some((team) => identity.teams.includes(team))) {
      throw new DeedRefused(ACTION, "sessions of this alert type are not for the teams of this channel");
    }
    const parent = deed.is_reply ? await parentOf(deed, deps, signal) : undefined;
    if (text === "" && parent === undefined) {
      throw new DeedRefused(ACTION, "write what is to be looked into");
    }
    submitter.rate.check(identity);
    const data = alertText(text, parent);
    const { sessionId, status } = await submitter.submit({
      request: { data, alert_type, slack_message_fingerprint: slackPlace(channel, thread) },
      identity,
      peer: undefined,
      keyOf: () => ({ ...keyOf(event.event_key), conflict: undefined }),
    });
    // Where the alert joined the session of its incident, nothing else says so in the thread.
    const isOwn = status === "queued" && sessionId !== null;
    const answer = `This is part of ${sessionId === null ? "an incident" : `${config.notifications.pageUrl}/sessions/${sessionId}`}.`;
    await db.transaction(async (transaction) => {
      if (sessionId !== null) {
        await rememberThread(transaction, { channel, thread, sessionId, messageTs: null, isLive: false });
      }
      await settleEvent(transaction, event, {
        state: "done",
        awaits: isOwn ? "eyes" : "text",
        result: { channel, ts, ...(deed.is_reply ? { thread } : {}), session_id: sessionId, text: answer },
      });
    });
    return { action: ACTION, ...(sessionId === null ? {} : { sessionId }), detail: { status } };
  };
}

function keyOf(eventKey: string) {
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  return { key: hash(JSON.stringify(["slack", eventKey])), requestHash: hash(eventKey) };
}

/** The message that the thread is about; it is masked with the alert. */
async function parentOf(
  { channel, thread }: DeedOf<"mention">,
  { slack }: SlackDeps,
  signal: AbortSignal,
): Promise<SlackPost | undefined> {
  for await (const message of readMessages(slack, { channel, thread, sinceMs: 0 }, signal)) return message;
  return undefined;
}

function alertText(text: string, parent: SlackPost | undefined): string {
  if (parent === undefined) return text;
  const { attachments = [] } = parent;
  const parts = [parent.text, ...attachments.map((one) => one.text ?? one.fallback)];
  const said = parts.filter((part) => part !== undefined && part !== "").join("\n");
  return `${text}\n\nThe message in Slack that this is about:\n${said.slice(0, MAX_PARENT).toWellFormed()}`.trim();
}
