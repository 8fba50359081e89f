import {
  INVALID_PARAMS,
  ProtocolError,
  fromJsonSchema,
  type Result,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { bearerToken } from "#shared/access/authenticate.ts";
import { isUuid } from "#shared/contracts/uuid.ts";
import type { ApiDeps } from "../api-deps.ts";
import { openDecisions } from "../approvals/open-decisions.ts";
import { RequestError } from "../http/request-error.ts";
import { sessionFor } from "../http/visible-session.ts";
import { requestCancel } from "../sessions/request-cancel.ts";
import { decisionOf, readOpenApprovals } from "./open-approvals.ts";
import { readInvestigation, readState } from "./read-investigation.ts";
import { APPROVAL_PREFIX, taskOfSession } from "./task-of-session.ts";
import { mayUse, performIn, resultOf, type McpCall } from "./tool.ts";
import { checkMayDecide, DECIDING } from "./tools/approvals.ts";

const READING = { action: "session.read", scope: "read" } as const;
const CANCELLING = { action: "session.cancel", scope: "write" } as const;

/** The same for all three: the SDK takes the answers of a user out of the parameters before they are checked. */
const PARAMS = fromJsonSchema<{ readonly taskId: string }>({
  type: "object",
  properties: { taskId: { type: "string", maxLength: 100 } },
  required: ["taskId"],
});

type Guard = <T>(work: () => Promise<T>) => Promise<T>;

/** Registers the methods of tasks: a task is a session, and nothing is kept beside its rows. */
export function handleTasks(
  deps: ApiDeps,
  server: Pick<Server, "setRequestHandler">,
  { callOf, guard }: { readonly callOf: (ctx: ServerContext) => McpCall; readonly guard: Guard },
): void {
  const decide = openDecisions(deps);
  const handle = (method: string, work: (taskId: string, call: McpCall) => Promise<Result>): void =>
    server.setRequestHandler(method, { params: PARAMS }, async ({ taskId }, ctx) =>
      guard(async () => {
        if (!isUuid(taskId)) throw unknownTask();
        return asTask(async () => work(taskId, callOf(ctx)));
      }),
    );

  handle("tasks/get", async (taskId, call) =>
    performIn(deps, READING, call, async () => readTask(deps, taskId, call)),
  );

  handle("tasks/update", async (taskId, call) => {
    await performIn(deps, READING, call, async () => sessionFor(deps.db, call.caller, taskId));
    for (const [name, answer] of Object.entries(call.inputResponses ?? {})) {
      const approvalId = name.startsWith(APPROVAL_PREFIX) ? name.slice(APPROVAL_PREFIX.length) : "";
      if (!isUuid(approvalId)) throw new ProtocolError(INVALID_PARAMS, "the task has asked no such question");
      await performIn(deps, DECIDING, call, async () => {
        checkMayDecide(deps);
        const decision = decisionOf(answer);
        call.caller.isAsking = decision === null;
        if (decision !== null) await decide(call.caller, { sessionId: taskId, approvalId }, decision);
      });
    }
    return {};
  });

  handle("tasks/cancel", async (taskId, call) =>
    performIn(deps, CANCELLING, call, async () => {
      await requestCancel(deps, call.caller, taskId);
      return {};
    }),
  );
}

async function readTask(deps: ApiDeps, taskId: string, { caller, request }: McpCall): Promise<Result> {
  const { config, db } = deps;
  const { session_id: id } = await sessionFor(db, caller, taskId);
  const state = await readState(db, id);
  const isAsked = state.status === "in_progress" && state.waiting_for?.kind === "approval";
  const mayDecide =
    config.agents.system.mcp?.decide === "operators" &&
    mayUse(caller.identity, DECIDING) &&
    // There a decision needs a credential, which other calls do not.
    (config.access.auth.mode !== "loopback" || bearerToken(request.headers) !== undefined);
  const questions = isAsked && mayDecide ? await readOpenApprovals(db, id) : [];
  if (state.status !== "completed") return taskOfSession(id, state, { questions, result: undefined });
  const { pageUrl } = config.notifications;
  const { facts, texts } = await readInvestigation(db, id, { state, pageUrl });
  const result = { resultType: "complete", ...resultOf(facts, texts) };
  return taskOfSession(id, state, { questions, result });
}

function unknownTask(): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, "Task not found");
}

/** A session that does not exist, or not for the caller, is an unknown task. */
async function asTask<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) throw unknownTask();
    throw error;
  }
}
