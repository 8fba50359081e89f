import { ownerOf } from "#shared/access/authorize.ts";
import { NO_USER } from "#shared/contracts/no-user.ts";
import type { Identity } from "#shared/access/identity.ts";
import { ApprovalEntity } from "#shared/database/entities.ts";
import type { Approval } from "#shared/database/tables/approvals.ts";
import type { ApiDeps } from "../api-deps.ts";
import { decideApproval as decide } from "./decide-approval.ts";
import { APPROVALS, DecisionBody } from "./contract.ts";
import { bodyReader } from "../http/body-reader.ts";
import { routesOf } from "../http/routes-of.ts";
import { withoutNulls } from "../http/without-nulls.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { callerOf } from "../http/caller.ts";
import { parseApprovalId } from "../http/parse-parameters.ts";
import { maskBody } from "../http/mask-body.ts";
import { readJsonBody } from "../http/read-json-body.ts";
import { visibleSession } from "../http/visible-session.ts";

const MAX_BODY_BYTES = 64 * 1024;
const BODY_BYTES_IN_FLIGHT = 4 * 1024 * 1024;

const readBody = bodyReader(DecisionBody);

/** The routes of questions about tool calls. A decision is made once and for all, and wakes the session that waits for it. */
export function approvalRoutes(deps: ApiDeps) {
  const { db, orm, dispatcher, log } = deps;
  const bodies = new BodyBudget(BODY_BYTES_IN_FLIGHT);
  const mask = maskBody(deps, "POST /api/v1/sessions/:id/approvals/:approval");
  return routesOf(APPROVALS, {
    async listApprovals(ctx) {
      const { session_id } = await visibleSession(db, ctx);
      const approvals = await orm.manager.find(ApprovalEntity, {
        where: { session_id },
        order: { requested_at: "ASC", approval_id: "ASC" },
      });
      return { session_id, approvals: approvals.map(approvalView) };
    },

    async decideApproval(ctx) {
      const approval_id = parseApprovalId(ctx.params["approval"]);
      const { decision: said, reason } = readBody(await readJsonBody(ctx, bodies, MAX_BODY_BYTES));
      // Before the transaction, which locks the session's rows.
      const { session_id: id } = await visibleSession(db, ctx);
      const decision = await mask(id, { reason: reason || null });
      const caller = callerOf(ctx);
      const state = said === "approve" ? "approved" : "denied";
      const decidedBy = deciderOf(caller.identity);
      const { session_id, events, tool, wakeUp } = await db.transaction(async (transaction) => {
        const session = await visibleSession(transaction, ctx, { lock: true });
        const decided = await decide(transaction, session, approval_id, { ...decision, state, decidedBy });
        return { ...decided, session_id: session.session_id };
      });
      dispatcher.publish(events);
      if (wakeUp !== undefined) dispatcher.wake(wakeUp);
      caller.detail = { approval_id, tool, decision: state };
      log.info({ session_id, approval_id, tool, state }, "approval decided");
      return approvalView(await orm.manager.findOneByOrFail(ApprovalEntity, { approval_id }));
    },
  });
}

function approvalView({ arguments_hash: _hash, ...approval }: Approval) {
  return withoutNulls(approval);
}

/** Who decides, as in the audit log; where callers are not told apart, the name is only what the client says. */
function deciderOf(identity: Identity): string {
  const { via, name } = identity;
  return ownerOf(identity) ?? (name === NO_USER ? via : `${via}:${name}`);
}
