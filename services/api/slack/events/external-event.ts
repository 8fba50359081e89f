import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import type { SLACK_ACTIONS } from "../../notifications/slack/slack-message.ts";
import { literals } from "#shared/contracts/literals.ts";

/** The buttons. */
export const ACTION_NAMES = [
  "approve",
  "deny",
  "park",
  "resume",
  "accurate",
  "inaccurate",
] as const satisfies readonly (keyof typeof SLACK_ACTIONS)[];

/** Where something happened: a thread, or a message of a channel without one. */
const Place = { channel: Type.String(), thread: Type.String() };

/** What a person did in Slack; the texts are masked. */
export const SlackDeed = Type.Union([
  Type.Object({
    kind: Type.Literal("mention"),
    ...Place,
    ts: Type.String(),
    text: Type.String(),
    /** It is an answer in a thread. */
    is_reply: Type.Boolean(),
  }),
  Type.Object({
    kind: Type.Literal("reaction"),
    ...Place,
    rating: literals(["accurate", "inaccurate"]),
    is_removed: Type.Boolean(),
  }),
  Type.Object({
    kind: Type.Literal("press"),
    ...Place,
    message_ts: Type.String(),
    action: literals(ACTION_NAMES),
    value: Type.String(),
  }),
  Type.Object({ kind: Type.Literal("channel_gone"), ...Place }),
]);
export type SlackDeed = Static<typeof SlackDeed>;
export type DeedOf<K extends SlackDeed["kind"]> = Extract<SlackDeed, { readonly kind: K }>;

/** A deed as it is stored. */
export interface ExternalEvent {
  /** The same for repetitions. */
  readonly key: string;
  /** The member of Slack. */
  readonly actor: string;
  readonly occurredAt: Date;
  readonly deed: SlackDeed;
}
