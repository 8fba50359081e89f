import { authorize, mayChange, ownerOf } from "#shared/access/authorize.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { announceFollowUp } from "../../announce-follow-up.ts";
import { postQuestion } from "../../chat/post-question.ts";
import { prepareQuestions } from "../../chat/open-questions.ts";
import { maskBody } from "../../http/mask-body.ts";
import { RequestError } from "../../http/request-error.ts";
import { postSteering } from "../../steering/post-steering.ts";
import { parseSteering, steeringKey } from "../../steering/steering-request.ts";
import { settleEvent } from "../events/event-store.ts";
import type { DeedOf } from "../events/external-event.ts";
import type { SlackDeps } from "../slack-deps.ts";
import { DeedRefused, type Deed, type Done } from "./effect.ts";
import { startSessions } from "./start-session.ts";
import { sessionOf, visibleHere } from "./thread-session.ts";

type Mention = Deed<DeedOf<"mention">>;

/** As the whole text they end the work of the agents. */
const CONCLUDE = /^(?:stop|conclude)[.!]?$/iu;
const HIDDEN = "the session of this thread is not yours to see here";
const OVER = new RequestError(409, "the session has just ended");

/** Returns what a mention of the bot does: a note to a running session, a question about one that has ended, or a new session. */
export function handleMentions(deps: SlackDeps): (mention: Mention) => Promise<Done> {
  const { db } = deps;
  const [steer, ask, start] = [steerSessions(deps), askAboutSessions(deps), startSessions(deps)];
  return async (mention) => {
    const sessionId = await sessionOf(db, mention.deed, "thread");
    if (sessionId === undefined) return start(mention);
    const session = await visibleHere(db, sessionId, mention.identity);
    if (session === undefined) throw new DeedRefused("session.read", HIDDEN, { sessionId });
    return isTerminal(session.status) ? ask(mention, sessionId) : steer(mention, sessionId);
  };
}

function steerSessions(deps: SlackDeps): (mention: Mention, sessionId: string) => Promise<Done> {
  const { db, dispatcher, metrics } = deps;
  const mask = maskBody(deps, "POST /api/v1/sessions/:id/messages");
  return async ({ event, deed, identity }, sessionId) => {
    const action = "session.steer";
    authorize(identity, action);
    const { channel, thread, ts, text } = deed;
    const mode = CONCLUDE.test(text) ? "conclude" : "note";
    const request = parseSteering({ mode, content: mode === "note" ? text : null });
    const author = ownerOf(identity) ?? identity.name;
    const key = steeringKey(`slack:${event.event_key}`, sessionId, author, request);
    const { content } = await mask(sessionId, request);
    const posted = await db.transaction(async (transaction) => {
      const session = await visibleHere(transaction, sessionId, identity, { lock: true });
      if (session === undefined) throw new DeedRefused(action, HIDDEN, { sessionId });
      if (!mayChange(identity, session)) {
        const why = "only the submitter of a session and operators may write to its agents";
        throw new DeedRefused(action, why, { sessionId });
      }
      // It is a question by then.
      if (isTerminal(session.status)) throw OVER;
      const message = { ...request, ...key, content, author: identity.name };
      const stored = await postSteering(transaction, session, message);
      const result = { channel, thread, ts, session_id: sessionId, message_id: stored.messageId };
      await settleEvent(transaction, event, { state: "done", awaits: "eyes", result });
      return stored;
    });
    dispatcher.publish(posted.events);
    dispatcher.noticeInbox(sessionId, posted.inboxSeq);
    if (posted.wakeUp !== undefined) dispatcher.wake(posted.wakeUp);
    metrics.steered.inc({ mode });
    return { action, sessionId, detail: { message_id: posted.messageId, mode } };
  };
}

function askAboutSessions(deps: SlackDeps): (mention: Mention, sessionId: string) => Promise<Done> {
  const { db, dispatcher } = deps;
  const prepare = prepareQuestions(deps);
  return async ({ event, deed, identity }, sessionId) => {
    const action = "session.chat";
    authorize(identity, action);
    const { channel, thread, ts, text } = deed;
    const author = postgresSafeText(identity.name).text;
    const { content, chain } = await prepare(sessionId, { content: text });
    const posted = await db.transaction(async (transaction) => {
      const session = await visibleHere(transaction, sessionId, identity, { lock: true });
      if (session === undefined) throw new DeedRefused(action, HIDDEN, { sessionId });
      const asked = await postQuestion(transaction, { sessionId, content, author, chain });
      const result = { channel, thread, ts, session_id: sessionId, question_id: asked.messageId };
      await settleEvent(transaction, event, { state: "done", awaits: "eyes", result });
      return asked;
    });
    announceFollowUp(dispatcher, sessionId, posted);
    return { action, sessionId, detail: { message_id: posted.messageId } };
  };
}
