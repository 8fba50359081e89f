import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { errorMessage } from "#shared/errors.ts";
import { pause } from "#shared/pause.ts";
import type { SessionWriter } from "../persist/session-writer.ts";

const parse = compileParser("request to park", Type.Object({ is_asked: Type.Boolean() }));

const READ = `
SELECT park_requested_at IS NOT NULL AND parked_at IS NULL AS is_asked FROM session_runtime
WHERE session_id = $1 AND lease_epoch = $2`;

/** One for all: the stack of an error of its own costs each session as much as its watch. */
const NO_LONGER_WATCHED = new Error("the session is no longer watched");

/** While the database does not answer. */
const RETRY_MS = 1_000;

/**
 * Calls `onAsked` once others have asked the session to park; `inboxSeq` is the newest entry of its inbox when it was known not to be asked. A
 * request is an entry of the inbox, which only says that there is something to read. Until it is disposed.
 */
export function watchParking(
  { db, inbox, log, sessionId, epoch }: Pick<SessionWriter, "db" | "inbox" | "log" | "sessionId" | "epoch">,
  inboxSeq: number,
  onAsked: () => void,
): Disposable {
  const over = new AbortController();
  const isAsked = async (): Promise<boolean> => {
    for (;;) {
      try {
        const [row] = await selectRows(db, parse, READ, [sessionId, epoch]);
        return row?.is_asked === true;
      } catch (error) {
        log.warn({ error: errorMessage(error) }, "request to park not read: trying again");
        await pause(RETRY_MS, over.signal);
      }
    }
  };
  const watch = async (): Promise<void> => {
    for (let seen = inboxSeq; ;) {
      await inbox.untilNewerThan(seen, over.signal);
      seen = inbox.newest;
      if (await isAsked()) return onAsked();
    }
  };
  // Rejects only once it is disposed: the loop has no other way out.
  watch().catch(() => undefined);
  return { [Symbol.dispose]: () => over.abort(NO_LONGER_WATCHED) };
}
