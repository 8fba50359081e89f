import { readMessages, type SlackPost } from "./read-messages.ts";
import type { SlackApi } from "./slack-api.ts";
import { MESSAGE_EVENT } from "./slack-message.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** A text for comparison: small letters, and one space for each piece of white space. */
function foldText(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/gu, " ").trim();
}

/** True if a text of the message contains the folded fingerprint. Those of this system never do: they are answers. */
function contains(message: SlackPost, fingerprint: string): boolean {
  if (message.metadata?.event_type === MESSAGE_EVENT) return false;
  const { text, attachments = [] } = message;
  const texts = [text, ...attachments.flatMap((attachment) => [attachment.text, attachment.fallback])];
  return texts.some((one) => one !== undefined && foldText(one).includes(fingerprint));
}

/**
 * The thread of the newest message of the last 24 hours that contains the fingerprint, as `ts`; undefined without one, and for a
 * blank fingerprint.
 */
export async function findThread(
  api: SlackApi,
  {
    channel,
    fingerprint,
    nowMs = Date.now(),
  }: { channel: string; fingerprint: string | null; nowMs?: number },
  signal: AbortSignal,
): Promise<string | undefined> {
  const folded = foldText(fingerprint ?? "");
  if (folded === "") return undefined;
  for await (const message of readMessages(api, { channel, sinceMs: nowMs - DAY_MS }, signal)) {
    if (contains(message, folded)) return message.thread_ts ?? message.ts;
  }
  return undefined;
}

/** The message that was sent under this key, by its metadata: in the thread or, without one, in the channel. */
export async function findSent(
  api: SlackApi,
  where: { readonly channel: string; readonly thread?: string; readonly sinceMs: number },
  { dedupKey }: { readonly dedupKey: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  for await (const { ts, metadata } of readMessages(api, where, signal)) {
    if (metadata?.event_type === MESSAGE_EVENT && metadata.event_payload?.dedup_key === dedupKey) return ts;
  }
  return undefined;
}
