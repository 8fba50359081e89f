import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { SlackApi } from "./slack-api.ts";

const Optional = Type.Optional(Type.String());

/** By it Slack names a message: a time. */
export const SlackTs = Type.String({ pattern: String.raw`^[\d.]{1,40}$` });

const Message = Type.Object({
  ts: SlackTs,
  thread_ts: Type.Optional(SlackTs),
  text: Optional,
  attachments: Type.Optional(Type.Array(Type.Object({ text: Optional, fallback: Optional }))),
  metadata: Type.Optional(
    Type.Object({
      event_type: Optional,
      event_payload: Type.Optional(Type.Object({ dedup_key: Type.Optional(Type.Unknown()) })),
    }),
  ),
});
/** A message of a channel or a thread. */
export type SlackPost = Static<typeof Message>;

const parsePage = compileParser(
  "page of Slack messages",
  Type.Object({
    messages: Type.Array(Message),
    has_more: Type.Optional(Type.Boolean()),
    response_metadata: Type.Optional(Type.Object({ next_cursor: Optional })),
  }),
);

const PAGES = 5;
const PAGE = 200;

interface Where {
  readonly channel: string;
  /** Reads the messages of this thread rather than those of the channel. */
  readonly thread?: string;
  /** Only newer ones; milliseconds since 1970. */
  readonly sinceMs: number;
}

/** Yields messages with their metadata, those of a channel newest first, at most 1,000. Throws as `SlackApi.call`. */
export async function* readMessages(
  api: SlackApi,
  { channel, thread, sinceMs }: Where,
  signal: AbortSignal,
): AsyncGenerator<SlackPost, void, undefined> {
  let cursor = "";
  for (let page = 0; page < PAGES; page += 1) {
    const { messages, response_metadata } = await api.call(
      {
        method: thread === undefined ? "conversations.history" : "conversations.replies",
        arguments: {
          channel,
          limit: PAGE,
          oldest: (sinceMs / 1_000).toFixed(6),
          include_all_metadata: true,
          ...(thread === undefined ? {} : { ts: thread }),
          ...(cursor === "" ? {} : { cursor }),
        },
      },
      parsePage,
      signal,
    );
    yield* messages;
    cursor = response_metadata?.next_cursor ?? "";
    if (cursor === "") return;
  }
}
