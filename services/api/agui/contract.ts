import { literals } from "#shared/contracts/literals.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { Endpoints } from "../http/endpoint.ts";

const Id = Type.String({ minLength: 1, maxLength: 200 });
/** Clients send these, and an investigation does not need them. */
const Ignored = Type.Optional(Type.Unknown());

/** The body of `POST /api/v1/agui`: `RunAgentInput` of AG-UI 1.0. */
export const RunInput = Type.Object(
  {
    threadId: {
      ...Id,
      description: "one session: a name of the client's choice, or the id of a session that exists",
    },
    runId: Id,
    messages: Type.Array(Type.Unknown(), {
      maxItems: 100_000,
      description:
        "the last one of the user is the alert, and of a session that has ended a question about it",
    }),
    resume: Type.Optional(
      Type.Array(
        Type.Object({
          interruptId: Id,
          status: literals(["resolved", "cancelled"]),
          payload: Type.Optional(Type.Unknown({ description: '`{"approved": true, "reason": "…"}`' })),
        }),
        { maxItems: 100, description: "decisions about tool calls" },
      ),
    ),
    forwardedProps: Type.Optional(
      Type.Unknown({ description: "of an alert: `alert_type`, `runbook`, `mcp`, `priority`" }),
    ),
    protocolVersion: Ignored,
    parentRunId: Ignored,
    state: Ignored,
    tools: Ignored,
    context: Ignored,
  },
  { title: "RunAgentInput" },
);

/** Sessions as AG-UI tells them. */
export const AGUI = {
  runAgui: {
    method: "post",
    path: "/api/v1/agui",
    action: "session.read",
    tag: "sessions",
    summary: "Run an investigation, or a question about it, and follow it in the events of AG-UI",
    description:
      "An alert needs the role of its submitter, a decision that of an operator. The same input again tells the same run from its beginning.",
    body: {
      schema: RunInput,
      example: {
        threadId: "incident-4711",
        runId: "run-1",
        messages: [{ id: "message-1", role: "user", content: "Disk full on db-7" }],
        tools: [],
        context: [],
      },
    },
    responses: {
      200: { description: "the events of the run", or: "text/event-stream" },
    },
    errors: [404, 409, 410],
  },
} as const satisfies Endpoints;
