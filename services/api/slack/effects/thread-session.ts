import { maySee } from "#shared/access/authorize.ts";
import type { Identity } from "#shared/access/identity.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { findSession, type FoundSession } from "#shared/database/find-session.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";

const parseThread = compileParser("thread", Type.Object({ session_id: Type.String() }));
const OF_THREAD = "SELECT session_id FROM slack_threads WHERE channel = $1 AND thread_ts = $2";
/** A reaction names our message, which may be an answer in the thread of an alert. */
const OF_MESSAGE = `${OF_THREAD}
UNION ALL SELECT session_id FROM slack_threads WHERE channel = $1 AND message_ts = $2 LIMIT 1`;

/** The session that a thread is about, or one of whose messages this is; undefined for another one. */
export async function sessionOf(
  db: Queryable,
  { channel, thread }: { readonly channel: string; readonly thread: string },
  what: "thread" | "message",
): Promise<string | undefined> {
  const sql = what === "thread" ? OF_THREAD : OF_MESSAGE;
  const [row] = await selectRows(db, parseThread, sql, [channel, thread]);
  return row?.session_id;
}

/**
 * A session as the author sees it in the channel; undefined if it is not there, or not theirs to see, or of teams that are not those of the
 * channel: everyone there would read about it.
 */
export async function visibleHere(
  db: Queryable,
  sessionId: string,
  identity: Identity,
  options: { readonly lock?: boolean } = {},
): Promise<FoundSession | undefined> {
  const session = await findSession(db, sessionId, options);
  if (session === undefined || !maySee(identity, session)) return undefined;
  const { teams } = session;
  const isOfOthers = teams.length > 0 && !teams.some((team) => identity.teams.includes(team));
  return isOfOthers ? undefined : session;
}
