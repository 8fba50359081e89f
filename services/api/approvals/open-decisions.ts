import type { Static } from "typebox";
import { ownerOf } from "#shared/access/authorize.ts";
import type { Identity } from "#shared/access/identity.ts";
import { NO_USER } from "#shared/contracts/no-user.ts";
import { ApprovalEntity } from "#shared/database/entities.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import type { ApiDeps } from "../api-deps.ts";
import type { Caller } from "../http/caller.ts";
import { maskBody } from "../http/mask-body.ts";
import { sessionFor } from "../http/visible-session.ts";
import type { DecisionBody } from "./contract.ts";
import { decideApproval } from "./decide-approval.ts";

interface Question {
  readonly sessionId: string | undefined;
  readonly approvalId: string;
  /** SHA-256 in hex of the arguments that the decider saw; undefined where the answer itself shows them. */
  readonly argumentsHash?: string;
}

/**
 * Returns what decides about a tool call, once and for all, and wakes the session that waits for it. It resolves with the question as it
 * is then, and rejects with RequestError 404 and 409, and database errors.
 */
export function openDecisions(deps: ApiDeps) {
  const { db, orm, dispatcher, log } = deps;
  const mask = maskBody(deps, "POST /api/v1/sessions/:id/approvals/:approval");
  return async (
    caller: Caller,
    { sessionId, approvalId: approval_id, argumentsHash }: Question,
    { decision: said, reason }: Static<typeof DecisionBody>,
    /** What is committed with the decision. */
    settle?: (transaction: Queryable) => Promise<void>,
  ) => {
    // Before the transaction, which locks the session's rows.
    const { session_id: id } = await sessionFor(db, caller, sessionId);
    const decision = await mask(id, { reason: reason || null });
    const state = said === "approve" ? "approved" : "denied";
    const made = {
      ...decision,
      state,
      argumentsHash,
      decidedBy: deciderOf(caller.identity),
      decidedVia: caller.channel ?? "api",
    } as const;
    const { session_id, events, tool, wakeUp } = await db.transaction(async (transaction) => {
      const session = await sessionFor(transaction, caller, id, { lock: true });
      const decided = await decideApproval(transaction, session, approval_id, made);
      await settle?.(transaction);
      return { ...decided, session_id: session.session_id };
    });
    dispatcher.publish(events);
    if (wakeUp !== undefined) dispatcher.wake(wakeUp);
    caller.detail = { ...caller.detail, approval_id, tool, decision: state };
    log.info({ session_id, approval_id, tool, state }, "approval decided");
    return orm.read(async (manager) => manager.findOneByOrFail(ApprovalEntity, { approval_id }));
  };
}

/** Who decides, as in the audit log; where callers are not distinguished, the name is only what the client says. */
export function deciderOf(identity: Identity): string {
  const { via, name } = identity;
  return ownerOf(identity) ?? (name === NO_USER ? via : `${via}:${name}`);
}
