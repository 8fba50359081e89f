import { createHash } from "node:crypto";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { SlackTs } from "../../notifications/slack/read-messages.ts";
import { SLACK_ACTIONS } from "../../notifications/slack/slack-message.ts";
import type { Envelope } from "../socket/slack-socket.ts";
import { ACTION_NAMES, type DeedOf, type ExternalEvent } from "./external-event.ts";

const Id = Type.String({ pattern: "^[A-Z0-9]{1,40}$" });
const Optional = Type.Optional(Type.String());

const parseCallback = compileParser(
  "event of Slack",
  Type.Object({
    team_id: Optional,
    event_id: Type.String({ maxLength: 100 }),
    event: Type.Object({ type: Type.String() }),
  }),
);
const parseMention = compileParser(
  "mention in Slack",
  Type.Object({
    user: Type.Optional(Id),
    bot_id: Optional,
    subtype: Optional,
    text: Type.String(),
    ts: SlackTs,
    thread_ts: Type.Optional(SlackTs),
    channel: Id,
  }),
);
const parseReaction = compileParser(
  "reaction in Slack",
  Type.Object({
    user: Id,
    reaction: Type.String(),
    item_user: Type.Optional(Id),
    item: Type.Object({ type: Type.String(), channel: Type.Optional(Id), ts: Type.Optional(SlackTs) }),
    event_ts: SlackTs,
  }),
);
const parseChannel = compileParser("channel of Slack", Type.Object({ channel: Id }));
const Press = Type.Object({
  type: Type.Literal("block_actions"),
  user: Type.Object({ id: Id }),
  team: Type.Optional(Type.Union([Type.Object({ id: Type.String() }), Type.Null()])),
  container: Type.Object({ message_ts: SlackTs, channel_id: Id, thread_ts: Type.Optional(SlackTs) }),
  actions: Type.Array(
    Type.Object({
      action_id: Type.String(),
      action_ts: SlackTs,
      value: Type.Optional(Type.String({ maxLength: 2_000 })),
    }),
    { minItems: 1 },
  ),
});
const parsePress = compileParser("pressed button in Slack", Press);

/** The app as it is known to Slack. */
export interface SlackApp {
  readonly team: string;
  /** The member that the bot is. */
  readonly bot: string;
}

const RATINGS: Readonly<Record<string, DeedOf<"reaction">["rating"]>> = {
  "+1": "accurate",
  thumbsup: "accurate",
  "-1": "inaccurate",
  thumbsdown: "inaccurate",
};

/** What an envelope is about; undefined for what does not concern us, such as the `message` that comes with each mention. Throws TerminalError for another form. */
export function readEnvelope({ type, payload }: Envelope, app: SlackApp): ExternalEvent | undefined {
  if (type === "interactive") return isPress(payload) ? readPress(parsePress(payload)) : undefined;
  if (type !== "events_api") return undefined;
  const { event_id, event } = parseCallback(payload);
  switch (event.type) {
    case "app_mention":
      return readMention(event, app);
    case "reaction_added":
    case "reaction_removed":
      return readReaction(event, event_id, app);
    case "channel_deleted":
    case "channel_archive": {
      const { channel } = parseChannel(event);
      const deed = { kind: "channel_gone", channel, thread: "" } as const;
      return { key: event_id, actor: "slack", occurredAt: new Date(), deed };
    }
    default:
      return undefined;
  }
}

/**
 * A mention, also one that is read in its thread later: the key is the message's. Undefined for one by a bot, and for a changed
 * message. Throws TerminalError for another form.
 */
export function readMention(message: unknown, { bot }: SlackApp): ExternalEvent | undefined {
  const { user, bot_id, subtype, text, ts, thread_ts, channel } = parseMention(message);
  if (user === undefined || user === bot || bot_id !== undefined) return undefined;
  if (subtype !== undefined && subtype !== "file_share" && subtype !== "thread_broadcast") return undefined;
  const deed = {
    kind: "mention",
    channel,
    thread: thread_ts ?? ts,
    ts,
    text: plainText(text, bot),
    is_reply: thread_ts !== undefined && thread_ts !== ts,
  } as const;
  return { key: `${channel}:${ts}`, actor: user, occurredAt: dateOf(ts), deed };
}

function readReaction(event: object, event_id: string, { bot }: SlackApp): ExternalEvent | undefined {
  const { user, reaction, item, item_user, event_ts } = parseReaction(event);
  const rating = RATINGS[reaction.replace(/::skin-tone-\d$/u, "")];
  const { channel, ts } = item;
  if (rating === undefined || channel === undefined || ts === undefined || user === bot) return undefined;
  if (item_user !== undefined && item_user !== bot) return undefined;
  const is_removed = "type" in event && event.type === "reaction_removed";
  const deed = { kind: "reaction", channel, thread: ts, rating, is_removed } as const;
  return { key: event_id, actor: user, occurredAt: dateOf(event_ts), deed };
}

/** Links are buttons, too, and are reported when they are pressed. */
function readPress({ user, container, actions }: Static<typeof Press>): ExternalEvent | undefined {
  const [pressed] = actions;
  const action = ACTION_NAMES.find((name) => SLACK_ACTIONS[name] === pressed?.action_id);
  if (pressed === undefined || action === undefined) return undefined;
  const { message_ts, channel_id: channel, thread_ts: thread = message_ts } = container;
  // There is no id of the event.
  const parts = [user.id, message_ts, pressed.action_id, pressed.action_ts];
  const key = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  const deed = { kind: "press", channel, thread, message_ts, action, value: pressed.value ?? "" } as const;
  return { key, actor: user.id, occurredAt: dateOf(pressed.action_ts), deed };
}

function isPress(payload: unknown): boolean {
  return (
    typeof payload === "object" && payload !== null && "type" in payload && payload.type === "block_actions"
  );
}

function dateOf(ts: string): Date {
  const date = new Date(Number(ts) * 1_000);
  return Number.isNaN(date.getTime()) ? new Date() : date;
}

const ENTITIES: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

/** As a person wrote it: without the mention of the bot, and with links as their addresses. */
function plainText(text: string, bot: string): string {
  return text
    .replaceAll(new RegExp(`<@${bot}(?:\\|[^>]*)?>`, "gu"), " ")
    .replaceAll(/<((?:https?|mailto):[^>|]+)(?:\|[^>]*)?>/gu, "$1")
    .replaceAll(/&(?:amp|lt|gt);/gu, (entity) => ENTITIES[entity] ?? entity)
    .trim();
}
