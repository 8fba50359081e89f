import { ApprovalEntity } from "#shared/database/entities.ts";
import type { Approval } from "#shared/database/tables/approvals.ts";
import type { ApiDeps } from "../api-deps.ts";
import { APPROVALS, DecisionBody } from "./contract.ts";
import { openDecisions } from "./open-decisions.ts";
import { bodyReader } from "../http/body-reader.ts";
import { routesOf } from "../http/routes-of.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { callerOf } from "../http/caller.ts";
import { parseApprovalId } from "../http/parse-parameters.ts";
import { readJsonBody } from "../http/read-json-body.ts";
import { visibleSession } from "../http/visible-session.ts";
import { withoutNulls } from "../http/without-nulls.ts";

const MAX_BODY_BYTES = 64 * 1024;
const BODY_BYTES_IN_FLIGHT = 4 * 1024 * 1024;

const readBody = bodyReader(DecisionBody);

/** The routes of questions about tool calls. */
export function approvalRoutes(deps: ApiDeps) {
  const { db, orm } = deps;
  const bodies = new BodyBudget(BODY_BYTES_IN_FLIGHT);
  const decide = openDecisions(deps);
  return routesOf(APPROVALS, {
    async listApprovals(ctx) {
      const { session_id } = await visibleSession(db, ctx);
      const approvals = await orm.read(async (manager) =>
        manager.find(ApprovalEntity, {
          where: { session_id },
          order: { requested_at: "ASC", approval_id: "ASC" },
        }),
      );
      return { session_id, approvals: approvals.map(approvalView) };
    },

    async decideApproval(ctx) {
      const question = {
        sessionId: ctx.params["id"],
        approvalId: parseApprovalId(ctx.params["approval"]),
      };
      const body = readBody(await readJsonBody(ctx, bodies, MAX_BODY_BYTES));
      return approvalView(await decide(callerOf(ctx), question, body));
    },
  });
}

function approvalView({ arguments_hash: _hash, ...approval }: Approval) {
  return withoutNulls(approval);
}
