import { forbidden } from "#shared/access/access-refused.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { escapeHidden } from "#shared/visible-controls.ts";
import type { ApiDeps } from "../../api-deps.ts";
import { DecisionBody } from "../../approvals/contract.ts";
import { otherArguments } from "../../approvals/decide-approval.ts";
import { openDecisions } from "../../approvals/open-decisions.ts";
import { notFound } from "../../http/request-error.ts";
import { sessionFor } from "../../http/visible-session.ts";
import { beginningOf } from "../frame-text.ts";
import { approvalForm, decisionOf, findApproval, readOpenApprovals } from "../open-approvals.ts";
import { defineTool, resultOf, type McpCall } from "../tool.ts";

/** Of the arguments of one call in the list, whose 50 calls may each have a megabyte; deciding shows all. */
const MAX_ARGUMENTS = 20_000;

/** The tool calls that wait for a person, as the tools will get them. */
export const listPendingApprovalsTool = (deps: ApiDeps) => {
  return defineTool(deps, {
    action: "approval.read",
    scope: "read",
    name: "list_pending_approvals",
    description:
      "The tool calls of all investigations that wait for a person's decision, with their arguments and the SHA-256 of these.",
    annotations: { title: "Calls that wait for a decision", readOnlyHint: true },
    input: Type.Object({ session_id: Type.Optional(Uuid) }),
    run: async ({ session_id }) => {
      const open = await readOpenApprovals(deps.db, session_id ?? null);
      const facts = open.map(({ tool: _tool, arguments: _arguments, ...shown }) => shown);
      const texts = open.map(
        (one) =>
          [
            one.approval_id,
            `${one.tool}\n${beginningOf(escapeHidden(one.arguments), MAX_ARGUMENTS)}`,
          ] as const,
      );
      return resultOf({ approvals: facts }, Object.fromEntries(texts));
    },
  });
};

/** The role, the scope and the credential that deciding over MCP needs, beside the switch. */
export const DECIDING = { action: "approval.decide", scope: "decide" } as const;

/** Throws AccessRefused 403 unless the configuration lets operators decide over MCP. */
export function checkMayDecide({ config }: Pick<ApiDeps, "config">): void {
  if (config.agents.system.mcp?.decide === "operators") return;
  throw forbidden("tool calls are not decided about over MCP here: system.mcp.decide is off");
}

const Asked = Type.Object({
  approval_id: Uuid,
  arguments_sha256: Type.String({
    pattern: "^[0-9a-f]{64}$",
    description: "of the arguments that you were shown: a call with others is not decided",
  }),
});
const Decided = Type.Object({ ...Asked.properties, ...DecisionBody.properties });

const DECIDE = {
  ...DECIDING,
  name: "decide",
  description:
    "Approve or deny a tool call that waits for a person (list_pending_approvals). Only on the explicit word of your user, who must have seen the arguments.",
  annotations: {
    title: "Decide about a tool call",
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
  },
};

const QUESTION = "decision";

/** Decides about a tool call. In the modern era the client has its user decide; one of the legacy era sends the decision. */
export const decideTool = (deps: ApiDeps, era: McpCall["era"]) => {
  const decide = openDecisions(deps);
  const settle = async (
    { approval_id: approvalId, arguments_sha256: argumentsHash }: Static<typeof Asked>,
    call: McpCall,
    decisionFor: () => Static<typeof DecisionBody> | null | undefined,
  ) => {
    checkMayDecide(deps);
    const asked = await findApproval(deps.db, approvalId);
    if (asked === undefined) throw notFound();
    const { session_id: sessionId } = await sessionFor(deps.db, call.caller, asked.session_id);
    const decision = decisionFor();
    if (decision === null || decision === undefined) call.caller.isAsking = true;
    if (decision === null) return resultOf({ approval_id: approvalId, decided: false });
    if (decision === undefined) {
      if (asked.arguments_sha256 !== argumentsHash) throw otherArguments();
      return { resultType: "input_required" as const, inputRequests: { [QUESTION]: approvalForm(asked) } };
    }
    const { state } = await decide(call.caller, { sessionId, approvalId, argumentsHash }, decision);
    return resultOf({ approval_id: approvalId, session_id: sessionId, decided: true, state });
  };
  if (era === "legacy") {
    return defineTool(deps, {
      ...DECIDE,
      input: Decided,
      run: async (args, call) => settle(args, call, () => args),
    });
  }
  return defineTool(deps, {
    ...DECIDE,
    input: Asked,
    run: async (args, call) =>
      settle(args, call, () => {
        const answer = call.inputResponses?.[QUESTION];
        return answer === undefined ? undefined : decisionOf(answer);
      }),
  });
};
