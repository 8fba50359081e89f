import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import type { Database } from "#shared/database/database.ts";
import { findSession } from "#shared/database/find-session.ts";
import type { InsertedFollowUp } from "#shared/database/insert-follow-up.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import { announceFollowUp } from "../announce-follow-up.ts";
import type { Dispatcher } from "../dispatcher.ts";
import { requestExtraction } from "./request-extraction.ts";

interface LearnDeps {
  readonly agents: AgentConfig;
  readonly db: Database;
  readonly dispatcher: Pick<Dispatcher, "publish" | "noticeInbox" | "wake">;
  readonly log: Logger;
}

/** Of one sweep; the next one is seconds later. */
const MAX_SESSIONS = 50;

const NONE_OPEN = `NOT EXISTS (SELECT FROM follow_ups f WHERE f.session_id = w.session_id AND f.kind = 'feedback'
                             AND f.status IN ('pending', 'active'))`;
const DUE = `
SELECT w.session_id FROM waiting_feedback w JOIN alert_sessions s USING (session_id)
WHERE s.deleted_at IS NULL AND ${NONE_OPEN}
GROUP BY w.session_id ORDER BY min(w.created_at) LIMIT ${MAX_SESSIONS}`;
const parseDue = compileParser("session with waiting feedback", Type.Object({ session_id: Uuid }));

/** The oldest, unless one of the session is worked on. */
const TAKE = `
WITH taken AS (
  DELETE FROM waiting_feedback WHERE follow_up_id = (
    SELECT w.follow_up_id FROM waiting_feedback w WHERE w.session_id = $1 AND ${NONE_OPEN}
    ORDER BY w.created_at, w.follow_up_id LIMIT 1)
  RETURNING feedback, asked_by
)
SELECT feedback, asked_by FROM taken`;
const parseTaken = compileParser(
  "waiting feedback",
  Type.Object({ feedback: Type.String(), asked_by: Type.String() }),
);

/**
 * Has sessions learned from whose feedback waited for an earlier one, which has ended by now; one text of each session, the oldest.
 * It leaves its place and becomes a follow-up in one transaction, so that it is learned from once. Any number of replicas may do so.
 * Throws database errors.
 */
export async function learnFromWaiting(deps: LearnDeps): Promise<void> {
  const { agents, db, dispatcher, log } = deps;
  if (!agents.defaults.memory.enabled) return;
  for (const { session_id } of await selectRows(db, parseDue, DUE, [])) {
    const inserted = await db.transaction(async (transaction) => learn(transaction, session_id, deps));
    if (inserted === null) continue;
    announceFollowUp(dispatcher, session_id, inserted);
    log.info({ session_id, follow_up_id: inserted.followUpId }, "waiting feedback is learned from");
  }
}

async function learn(
  transaction: Queryable,
  sessionId: string,
  { agents, log }: Pick<LearnDeps, "agents" | "log">,
): Promise<InsertedFollowUp | null> {
  // Who inserts such a follow-up holds this lock.
  if ((await findSession(transaction, sessionId, { lock: true })) === undefined) return null;
  const [taken] = await selectRows(transaction, parseTaken, TAKE, [sessionId]);
  if (taken === undefined) return null;
  const { feedback, asked_by: askedBy } = taken;
  try {
    return await requestExtraction(transaction, sessionId, { agents, askedBy, feedback });
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    log.error({ session_id: sessionId, error: error.message }, "waiting feedback dropped");
    return null;
  }
}
