import type { IncomingMessage } from "node:http";
import { uuidFrom } from "#shared/uuid-from.ts";
import { maySee, ownerOf } from "#shared/access/authorize.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { isUuid } from "#shared/contracts/uuid.ts";
import { findSession, type FoundSession } from "#shared/database/find-session.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { submittedView } from "../alerts/submitted-view.ts";
import type { Submitter } from "../alerts/open-submitter.ts";
import type { ApiDeps } from "../api-deps.ts";
import { openDecisions } from "../approvals/open-decisions.ts";
import { openQuestions } from "../chat/open-questions.ts";
import { perform } from "../http/access.ts";
import type { Caller } from "../http/caller.ts";
import { RequestError } from "../http/request-error.ts";
import { sessionFor } from "../http/visible-session.ts";
import { alertOf, hashOf, type AskedRun, type Said } from "./run-input.ts";

/** The name of a client for its session is known for so long. */
const THREAD_HOURS = 90 * 24;

const FIND_THREAD =
  "SELECT session_id, request_hash FROM idempotency_keys WHERE key = $1 AND expires_at > now()";
const parseThread = compileParser(
  "thread",
  Type.Object({ session_id: Type.String(), request_hash: Type.String() }),
);

/** The answer of a question begins with two events: its stage, and the question. */
const FIND_ANSWER = `
SELECT stage_id, greatest(coalesce((SELECT min(first_seq) FROM timeline_events t WHERE t.stage_id = g.stage_id), 0) - 2, 0) AS after_seq
FROM stages g WHERE session_id = $1 AND chat_user_message_id = $2`;
const parseAnswer = compileParser(
  "answer",
  Type.Object({ stage_id: Type.String(), after_seq: Type.Integer() }),
);

/** What a run tells: a session or one answer about it, or only a sentence if no session is about the alert. */
export type FoundRun =
  | { readonly session: FoundSession; readonly stageId?: string; readonly afterSeq: number }
  | { readonly sentence: string };

/**
 * Returns what finds the session or the answer that a run is about. What does not exist yet it submits or asks, once for each thread and
 * each message of it, so that the same run can be asked for again; decisions it makes before. It rejects as those do.
 */
export function openRuns(deps: ApiDeps & { readonly submitter: Submitter }) {
  const { db, submitter } = deps;
  const ask = openQuestions(deps);
  const decide = openDecisions(deps);
  return async (run: AskedRun, caller: Caller, request: IncomingMessage): Promise<FoundRun> => {
    const asked = { caller, request };
    const threadKey = hashOf("agui", ownerOf(caller.identity) ?? caller.identity.name, run.threadId);
    const thread = await findThread(threadKey, run.threadId, caller);
    const { said } = run;
    if (thread === undefined) {
      if (said === undefined) throw new RequestError(404, "the thread has no session: send an alert");
      return perform(deps, "alert.submit", asked, async () => submit(said, { run, caller, threadKey }));
    }
    const { session } = thread;
    const { session_id: sessionId } = session;
    caller.sessionId = sessionId;
    for (const { approvalId, ...decision } of run.decisions) {
      await perform(deps, "approval.decide", asked, async () =>
        decide(caller, { sessionId, approvalId }, decision).catch(ignoreDecided),
      );
    }
    if (said === undefined || thread.alertHash === hashOf(said.text)) return { session, afterSeq: 0 };
    const messageId = uuidFrom(`agui:${said.id}`, sessionId);
    const known = await findAnswer(session, messageId);
    if (known !== undefined) return known;
    // Decisions come with the messages as they were.
    if (run.decisions.length > 0) return { session, afterSeq: 0 };
    if (!isTerminal(session.status)) {
      throw new RequestError(409, "the investigation still runs: ask when it has ended");
    }
    return perform(deps, "session.chat", asked, async () => {
      const question = { content: said.text };
      const refused = await ask(caller, sessionId, () => question, { messageId }).then(
        () => new Error(`the question ${messageId} is gone`),
        (error: unknown) => error,
      );
      // The same question may have been asked at the same time.
      const answer = await findAnswer(session, messageId);
      if (answer === undefined) throw refused;
      return answer;
    });
  };

  async function findThread(key: string, threadId: string, { identity }: Caller) {
    const [thread] = await selectRows(db, parseThread, FIND_THREAD, [key]);
    const id = thread?.session_id ?? (isUuid(threadId) ? threadId.toLowerCase() : undefined);
    const session = id === undefined ? undefined : await findSession(db, id);
    if (session === undefined || !maySee(identity, session)) return undefined;
    return { session, alertHash: thread?.request_hash };
  }

  async function submit(
    said: Said,
    { run, caller, threadKey }: { run: AskedRun; caller: Caller; threadKey: string },
  ): Promise<FoundRun> {
    submitter.rate.check(caller.identity);
    const submitted = await submitter.submit({
      request: alertOf(said, run.forwarded),
      identity: caller.identity,
      peer: caller.peer,
      keyOf: () => ({
        key: threadKey,
        requestHash: hashOf(said.text),
        conflict: undefined,
        keptHours: THREAD_HOURS,
      }),
    });
    if (submitted.sessionId === null) return { sentence: submittedView(submitted).message };
    return { session: await sessionFor(db, caller, submitted.sessionId), afterSeq: 0 };
  }

  async function findAnswer(session: FoundSession, messageId: string): Promise<FoundRun | undefined> {
    const [answer] = await selectRows(db, parseAnswer, FIND_ANSWER, [session.session_id, messageId]);
    return answer && { session, stageId: answer.stage_id, afterSeq: answer.after_seq };
  }
}

/** A decision that came too late, or again: the run tells the one that was made. */
function ignoreDecided(error: unknown): void {
  if (!(error instanceof RequestError && error.status === 409)) throw error;
}
