import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { BoundTool, RecordedCodeExecution, RecordedGrounding } from "#shared/cassette/recorded-calls.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";

/** `llm_interactions.llm_request`, as executors write it. */
const StoredRequest = Type.Object(
  {
    iteration: Type.Optional(Type.Integer()),
    tools_count: Type.Optional(Type.Integer()),
    provider: Type.Optional(Type.String()),
    /** Under which the result is kept that the call summarizes. */
    tool_call_id: Type.Optional(Type.String()),
    messages: Type.Optional(
      Type.Array(
        Type.Object({ role: Type.String(), content: Type.String() }, { additionalProperties: true }),
      ),
    ),
    tools: Type.Optional(Type.Array(Type.String())),
    own_tools: Type.Optional(Type.Array(BoundTool)),
  },
  { additionalProperties: true },
);
export type StoredRequest = Static<typeof StoredRequest>;

/** What of a reply no other row has (`reply-remainder.ts` of the executor). */
const Remainder = Type.Object(
  {
    outcome: Type.Optional(
      Type.Object(
        {
          kind: literals(["failed", "interrupted", "unreachable"]),
          retryable: Type.Optional(Type.Boolean()),
          retry_after_ms: Type.Optional(Type.Integer()),
          last_code: Type.Optional(Type.String()),
          keep_text: Type.Optional(Type.Integer()),
          keep_thinking: Type.Optional(Type.Integer()),
        },
        { additionalProperties: true },
      ),
    ),
    text: Type.Optional(Type.String()),
    code_executions: Type.Optional(Type.Array(RecordedCodeExecution)),
    groundings: Type.Optional(Type.Array(RecordedGrounding)),
    unreported_tries: Type.Optional(Type.Integer()),
    was_sent: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: true },
);
export type Remainder = Static<typeof Remainder>;

const StoredResponse = Type.Object(
  {
    tool_calls_count: Type.Optional(Type.Integer()),
    warnings: Type.Optional(Type.Array(Type.Object({ code: Type.String(), message: Type.String() }))),
    remainder: Type.Optional(Remainder),
  },
  { additionalProperties: true },
);
export type StoredResponse = Static<typeof StoredResponse>;

export const parseStoredRequest = compileParser("recorded request", StoredRequest);
export const parseStoredResponse = compileParser("recorded response", StoredResponse);
