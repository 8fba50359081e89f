import { authorize } from "#shared/access/authorize.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { isUuid } from "#shared/contracts/uuid.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { APPROVALS } from "#shared/database/tables/approvals.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { openDecisions } from "../../approvals/open-decisions.ts";
import { escapeMrkdwn, HASH_CHARACTERS } from "../../notifications/slack/slack-message.ts";
import { parkForOperator, resumeForOperator } from "../../parking/change-parking.ts";
import { openParking } from "../../parking/open-parking.ts";
import { settleEvent } from "../events/event-store.ts";
import type { DeedOf } from "../events/external-event.ts";
import type { SlackDeps } from "../slack-deps.ts";
import { DeedRefused, type Deed, type Done } from "./effect.ts";
import { REVIEW, review } from "./reaction.ts";
import { visibleHere } from "./thread-session.ts";

type Press = Deed<DeedOf<"press">>;

const parseAsked = compileParser(
  "asked call",
  Type.Object(rowMembers(APPROVALS, "approval_id", "session_id", "tool", "arguments_hash")),
);
const ASKED = "SELECT approval_id, session_id, tool, arguments_hash FROM approvals WHERE approval_id = $1";

/** Returns what a button does. A decision counts only for the arguments that the message showed. */
export function handlePresses(deps: SlackDeps): (press: Press) => Promise<Done> {
  return async (press) => {
    const { action } = press.deed;
    switch (action) {
      case "approve":
      case "deny":
        return decide(press, action, deps);
      case "park":
      case "resume":
        return parkOrResume(press, action, deps);
      case "accurate":
      case "inaccurate":
        return rate(press, action, deps);
      default:
        return action satisfies never;
    }
  };
}

async function decide(
  { event, deed, caller }: Press,
  said: "approve" | "deny",
  deps: SlackDeps,
): Promise<Done> {
  const { db, settings } = deps;
  const action = "approval.decide";
  if (!settings.approvals) throw new DeedRefused(action, "tool calls are not decided about in Slack");
  authorize(caller.identity, action);
  const [approvalId = "", hash = ""] = deed.value.split("|");
  const [asked] = isUuid(approvalId) ? await selectRows(db, parseAsked, ASKED, [approvalId]) : [];
  const sessionId = asked?.session_id ?? "";
  if (asked === undefined || (await visibleHere(db, sessionId, caller.identity)) === undefined) {
    throw new DeedRefused(action, "this question is unknown");
  }
  if (hash.length !== HASH_CHARACTERS || !asked.arguments_hash.startsWith(hash)) {
    throw new DeedRefused(action, "the arguments are not those of this message", { sessionId });
  }
  const { channel, message_ts: ts } = deed;
  const at = Math.floor(Date.now() / 1_000);
  const state = said === "approve" ? "approved" : "denied";
  const by = `<@${event.actor}> <!date^${at}^{time}|${new Date(at * 1_000).toISOString()}>`;
  const text = `*${escapeMrkdwn(asked.tool, 200)}* ${state} by ${by}`;
  const decision = { decision: said, reason: null };
  await openDecisions(deps)(caller, { sessionId, approvalId }, decision, async (transaction) =>
    settleEvent(transaction, event, { state: "done", awaits: "decided", result: { channel, ts, text } }),
  );
  return { action, sessionId, detail: caller.detail };
}

async function rate(
  { event, deed, caller }: Press,
  rating: "accurate" | "inaccurate",
  deps: SlackDeps,
): Promise<Done> {
  authorize(caller.identity, REVIEW);
  const { channel, thread, value: sessionId } = deed;
  if (!isUuid(sessionId)) throw new DeedRefused(REVIEW, "not found");
  const result = { channel, thread, session_id: sessionId, text: `Reviewed as ${rating}.` };
  const said = { awaits: "text", result } as const;
  return review(deps, { event, caller }, { sessionId, rating, is_removed: false, said });
}

async function parkOrResume(
  { event, deed, caller }: Press,
  verb: "park" | "resume",
  deps: SlackDeps,
): Promise<Done> {
  const action = `session.${verb}` as const;
  authorize(caller.identity, action);
  const sessionId = deed.value;
  if (!isUuid(sessionId) || (await visibleHere(deps.db, sessionId, caller.identity)) === undefined) {
    throw new DeedRefused(action, "the session of this message is not yours to see here");
  }
  const { status } = await openParking(deps)(caller, sessionId, verb, async (transaction, session, actor) => {
    await settleEvent(transaction, event, { state: "done", result: { session_id: sessionId } });
    return verb === "park"
      ? parkForOperator(transaction, session, { actor, reason: null })
      : resumeForOperator(transaction, session);
  });
  return { action, sessionId, detail: { status } };
}
