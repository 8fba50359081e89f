import { Type } from "#shared/generated/typebox/typebox.mjs";
import { submitFor } from "../../alerts/accept-request.ts";
import { MAX_DATA_BYTES } from "../../alerts/check-alert.ts";
import type { Submitter } from "../../alerts/open-submitter.ts";
import type { ApiDeps } from "../../api-deps.ts";
import { readState } from "../read-investigation.ts";
import { taskHead } from "../task-of-session.ts";
import { defineTool, resultOf } from "../tool.ts";

const MAX_RUNBOOK_CHARACTERS = 65_536;

/** Starts an investigation. A client that understands tasks gets one, whose id is the session's; all others poll. */
export const investigateTool = (deps: ApiDeps & { readonly submitter: Submitter }) => {
  return defineTool(deps, {
    action: "alert.submit",
    scope: "write",
    name: "investigate",
    description:
      "Start an investigation of an alert or a problem by TARSy's agents. It takes minutes and goes on whatever happens to this connection. Then call get_investigation with the session_id until its status is completed.",
    annotations: {
      title: "Start an investigation",
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
    },
    input: Type.Object({
      data: Type.String({
        minLength: 1,
        maxLength: MAX_DATA_BYTES,
        description: "the alert or the problem, with all that is known: names, times, errors",
      }),
      alert_type: Type.Optional(Type.String({ description: "by default that of the configuration" })),
      runbook: Type.Optional(
        Type.String({ maxLength: MAX_RUNBOOK_CHARACTERS, description: "its address or its text" }),
      ),
      priority: Type.Optional(Type.Enum(["normal", "low"])),
      idempotency_key: Type.Optional(
        Type.String({
          pattern: "^[\\x21-\\x7e]{1,255}$",
          description:
            "the same key within 24 hours gives the session that it started; use one to repeat a call that was cut",
        }),
      ),
    }),
    run: async ({ idempotency_key: idempotencyKey, ...request }, call) => {
      const { submitter, db, config } = deps;
      submitter.rate.check(call.caller.identity);
      const submitted = await submitFor(submitter, call.caller, { request, idempotencyKey });
      const { sessionId, status, isReplayed } = submitted;
      if (sessionId === null) return resultOf({ session_id: null, status });
      if (call.knowsTasks) return { content: [], ...taskHead(sessionId, await readState(db, sessionId)) };
      return resultOf({
        session_id: sessionId,
        status,
        is_repeated: isReplayed,
        url: `${config.notifications.pageUrl}/sessions/${sessionId}`,
      });
    },
  });
};
