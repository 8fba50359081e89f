import { authorize } from "#shared/access/authorize.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { openQuestions } from "../../chat/open-questions.ts";
import { openSteering } from "../../steering/open-steering.ts";
import { settleEvent } from "../events/event-store.ts";
import type { DeedOf } from "../events/external-event.ts";
import type { SlackDeps } from "../slack-deps.ts";
import { DeedRefused, type Deed, type Done } from "./effect.ts";
import { startSessions } from "./start-session.ts";
import { sessionOf, visibleHere } from "./thread-session.ts";

/** As the whole text they end the work of the agents. */
const CONCLUDE = /^(?:stop|conclude)[.!]?$/iu;

/** Returns what a mention of the bot does: a note to a running session, a question about one that has ended, or a new session. */
export function handleMentions(deps: SlackDeps): (mention: Deed<DeedOf<"mention">>) => Promise<Done> {
  const { db } = deps;
  const [steer, ask, start] = [openSteering(deps), openQuestions(deps), startSessions(deps)];
  return async (mention) => {
    const { event, deed, caller } = mention;
    const { channel, thread, ts, text } = deed;
    const sessionId = await sessionOf(db, deed, "thread");
    if (sessionId === undefined) return start(mention);
    const session = await visibleHere(db, sessionId, caller.identity);
    if (session === undefined) {
      throw new DeedRefused("session.read", "the session of this thread is not yours to see here", {
        sessionId,
      });
    }
    const settle = (kind: "message_id" | "question_id") => async (transaction: Queryable, id: string) =>
      settleEvent(transaction, event, {
        state: "done",
        awaits: "eyes",
        result: { channel, thread, ts, session_id: sessionId, [kind]: id },
      });
    const action = isTerminal(session.status) ? "session.chat" : "session.steer";
    authorize(caller.identity, action);
    if (action === "session.chat") {
      await ask(caller, sessionId, () => ({ content: text }), { settle: settle("question_id") });
    } else {
      const body = CONCLUDE.test(text) ? { mode: "conclude" } : { mode: "note", content: text };
      // One that ends meanwhile is a conflict, and the mention a question when it is tried again.
      await steer(caller, sessionId, {
        read: () => body,
        idempotencyKey: `slack:${event.event_key}`,
        settle: settle("message_id"),
      });
    }
    return { action, sessionId, detail: caller.detail };
  };
}
