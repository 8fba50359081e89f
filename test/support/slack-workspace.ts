import { Type, type Static } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const Blocks = Type.Array(Type.Record(Type.String(), Type.Unknown()));
const Posted = Type.Object({
  channel: Type.String(),
  text: Type.String(),
  thread_ts: Type.Optional(Type.String()),
  blocks: Type.Optional(Blocks),
  metadata: Type.Optional(
    Type.Object({ event_type: Type.String(), event_payload: Type.Record(Type.String(), Type.Unknown()) }),
  ),
});
const parsePosted = compileParser("message for Slack", Posted);
const parseUpdate = compileParser("edit for Slack", Type.Object({ ...Posted.properties, ts: Type.String() }));
const Ephemeral = Type.Object({ ...Posted.properties, user: Type.String() });
const parseEphemeral = compileParser("message for one", Ephemeral);
const Reaction = Type.Object({ channel: Type.String(), timestamp: Type.String(), name: Type.String() });
const parseReaction = compileParser("reaction for Slack", Reaction);

/** A message as the fake keeps it. */
export type SlackServerMessage = Static<typeof Posted> & {
  readonly ts: string;
  /** Absent for a message of the app. */
  readonly user?: string;
  /** How often it was edited. */
  readonly edits?: number;
  readonly attachments?: readonly { readonly text?: string; readonly fallback?: string }[];
};

/** A member as `users.info` shows one. */
export interface SlackMember {
  readonly id: string;
  readonly team_id: string;
  readonly deleted?: boolean;
  readonly is_bot?: boolean;
  readonly is_restricted?: boolean;
  readonly is_ultra_restricted?: boolean;
  readonly profile: { readonly email?: string };
}

export const SLACK_TEAM = "T0FAKE";
export const SLACK_BOT = "U0TARSY";

/** What the fake Slack keeps, and what the methods of its web API do with it. */
export class SlackWorkspace {
  readonly #ticket: () => string;
  #lastTs = 0;
  readonly messages: SlackServerMessage[] = [];
  readonly ephemerals: Static<typeof Ephemeral>[] = [];
  readonly reactions: Static<typeof Reaction>[] = [];
  readonly members = new Map<string, SlackMember>();

  /** `ticket` makes the address for a connection. */
  constructor(ticket: () => string) {
    this.#ticket = ticket;
  }

  /** Answers a call. */
  perform(method: string, given: Readonly<Record<string, unknown>>): object {
    switch (method) {
      case "auth.test":
        return {
          ok: true,
          team: "fake",
          team_id: SLACK_TEAM,
          user: "tarsy",
          user_id: SLACK_BOT,
          bot_id: "B0TARSY",
        };
      case "apps.connections.open":
        return { ok: true, url: this.#ticket() };
      case "users.info": {
        const user = this.members.get(String(given["user"]));
        return user === undefined ? { ok: false, error: "user_not_found" } : { ok: true, user };
      }
      case "chat.postMessage": {
        const message = { ...parsePosted(given), ts: this.nextTs(Date.now()) };
        this.messages.push(message);
        return { ok: true, channel: message.channel, ts: message.ts, message };
      }
      case "chat.update":
        return this.#update(given);
      case "chat.postEphemeral":
        this.ephemerals.push(parseEphemeral(given));
        return { ok: true, message_ts: this.nextTs(Date.now()) };
      case "reactions.add":
        return this.#addReaction(parseReaction(given));
      case "conversations.history":
      case "conversations.replies":
        return this.#page(method, given);
      default:
        return { ok: false, error: "unknown_method" };
    }
  }

  /** An edit keeps what it does not name. */
  #update(given: Readonly<Record<string, unknown>>): object {
    const { channel, ts, ...changes } = parseUpdate(given);
    const index = this.messages.findIndex(
      (one) => one.channel === channel && one.ts === ts && one.user === undefined,
    );
    const before = this.messages[index];
    if (before === undefined) return { ok: false, error: "message_not_found" };
    this.messages[index] = { ...before, ...changes, edits: (before.edits ?? 0) + 1 };
    return { ok: true, channel, ts, text: changes.text, message: this.messages[index] };
  }

  #addReaction(reaction: Static<typeof Reaction>): object {
    const { channel, timestamp, name } = reaction;
    if (!this.messages.some((one) => one.channel === channel && one.ts === timestamp)) {
      return { ok: false, error: "message_not_found" };
    }
    if (
      this.reactions.some(
        (one) => one.channel === channel && one.timestamp === timestamp && one.name === name,
      )
    ) {
      return { ok: false, error: "already_reacted" };
    }
    this.reactions.push(reaction);
    return { ok: true };
  }

  /** As Slack: replies are not part of a channel's history, which is newest first; a thread is oldest first. */
  #page(method: string, given: Readonly<Record<string, unknown>>): object {
    const [channel, oldest, limit] = [
      given["channel"],
      Number(given["oldest"] ?? 0),
      Number(given["limit"] ?? 100),
    ];
    const thread = typeof given["ts"] === "string" ? given["ts"] : "";
    const isHistory = method === "conversations.history";
    const found = this.messages.filter(
      (message) =>
        message.channel === channel &&
        Number(message.ts) > oldest &&
        (isHistory ? message.thread_ts === undefined : [message.thread_ts, message.ts].includes(thread)),
    );
    const ordered = found.toSorted((a, b) =>
      isHistory ? Number(b.ts) - Number(a.ts) : Number(a.ts) - Number(b.ts),
    );
    const from = Number(given["cursor"] ?? 0);
    const page = ordered.slice(from, from + limit);
    const hasMore = from + limit < ordered.length;
    const withMetadata = String(given["include_all_metadata"]) === "true";
    return {
      ok: true,
      messages: page.map(({ metadata, channel: _of, ...message }) => ({
        type: "message",
        ...(message.user === undefined && metadata !== undefined
          ? { bot_id: "B0TARSY", user: SLACK_BOT }
          : {}),
        ...message,
        ...(withMetadata ? { metadata } : {}),
      })),
      has_more: hasMore,
      response_metadata: { next_cursor: hasMore ? String(from + limit) : "" },
    };
  }

  /** The name of the next message. */
  nextTs(nowMs: number): string {
    const micros = nowMs * 1_000;
    if (micros < this.#lastTs - 1_000_000) return (micros / 1e6).toFixed(6);
    this.#lastTs = Math.max(micros, this.#lastTs + 1);
    return (this.#lastTs / 1e6).toFixed(6);
  }
}
