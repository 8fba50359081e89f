import type { RouterMiddleware } from "@koa/router";
import { ApprovalEntity } from "#shared/database/entities.ts";
import type { ApiDeps } from "../api-deps.ts";
import { visibleSession } from "../http/visible-session.ts";
import { approvalView } from "./approval-view.ts";

/** `GET /api/v1/sessions/:id/approvals`: what people were asked about the session's tool calls, and what they decided. */
export function getApprovals({ db, orm }: ApiDeps): RouterMiddleware {
  return async (ctx) => {
    const { session_id } = await visibleSession(db, ctx);
    const approvals = await orm.manager.find(ApprovalEntity, {
      where: { session_id },
      order: { requested_at: "ASC", approval_id: "ASC" },
    });
    ctx.body = { session_id, approvals: approvals.map(approvalView) };
  };
}
