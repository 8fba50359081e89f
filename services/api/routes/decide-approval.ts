import type { RouterMiddleware } from "@koa/router";
import { ownerOf } from "#shared/access/authorize.ts";
import { NO_USER } from "#shared/contracts/no-user.ts";
import type { Identity } from "#shared/access/identity.ts";
import { ApprovalEntity } from "#shared/database/entities.ts";
import type { ApiDeps } from "../api-deps.ts";
import { decideApproval as decide } from "../approvals/decide-approval.ts";
import { parseDecision } from "../approvals/decision-request.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { callerOf } from "../http/caller.ts";
import { parseApprovalId } from "../http/parse-parameters.ts";
import { maskBody } from "../http/mask-body.ts";
import { readJsonBody } from "../http/read-json-body.ts";
import { visibleSession } from "../http/visible-session.ts";
import { approvalView } from "./approval-view.ts";

const MAX_BODY_BYTES = 64 * 1024;
const BODY_BYTES_IN_FLIGHT = 4 * 1024 * 1024;

/**
 * `POST /api/v1/sessions/:id/approvals/:approval` `{decision: "approve" | "deny", reason?}`: decides once and for all whether
 * a tool call may be made, and wakes the session that waits for it. Answers with the question and its decision.
 */
export function decideApproval(deps: ApiDeps): RouterMiddleware {
  const { db, orm, dispatcher, log } = deps;
  const bodies = new BodyBudget(BODY_BYTES_IN_FLIGHT);
  const mask = maskBody(deps, "POST /api/v1/sessions/:id/approvals/:approval");
  return async (ctx) => {
    const approval_id = parseApprovalId(ctx.params["approval"]);
    const written = parseDecision(await readJsonBody(ctx, bodies, MAX_BODY_BYTES));
    // Before the transaction, which locks the session's rows.
    const { session_id: id } = await visibleSession(db, ctx);
    const decision = await mask(id, written);
    const caller = callerOf(ctx);
    const decidedBy = deciderOf(caller.identity);
    const { session_id, events, tool, wakeUp } = await db.transaction(async (transaction) => {
      const session = await visibleSession(transaction, ctx, { lock: true });
      const decided = await decide(transaction, session, approval_id, { ...decision, decidedBy });
      return { ...decided, session_id: session.session_id };
    });
    dispatcher.publish(events);
    if (wakeUp !== undefined) dispatcher.wake(wakeUp);
    caller.detail = { approval_id, tool, decision: decision.state };
    log.info({ session_id, approval_id, tool, state: decision.state }, "approval decided");
    ctx.body = approvalView(await orm.manager.findOneByOrFail(ApprovalEntity, { approval_id }));
  };
}

/** Who decides, as in the audit log; where callers are not told apart, the name is only what the client says. */
function deciderOf(identity: Identity): string {
  const { via, name } = identity;
  return ownerOf(identity) ?? (name === NO_USER ? via : `${via}:${name}`);
}
