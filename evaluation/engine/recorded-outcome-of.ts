import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { RecordedToolCall } from "#shared/cassette/recorded-calls.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { RecordedOutcome } from "#shared/contracts/recorded-tools.ts";

const parseKind = compileParser(
  "outcome of a recorded tool call",
  Type.Object(
    {
      kind: Type.Optional(Type.String()),
      own_text: Type.Optional(Type.Literal(true)),
      is_timeout: Type.Optional(Type.Literal(true)),
      may_have_run: Type.Optional(Type.Literal(true)),
      reason: Type.Optional(Type.String()),
    },
    { additionalProperties: true },
  ),
);
const parseResult = compileParser(
  "result of a recorded tool call",
  Type.Object(
    { content: Type.Optional(Type.String()), is_error: Type.Optional(Type.Boolean()) },
    { additionalProperties: true },
  ),
);

/** How a call of a cassette ended, as a session with recorded tools is given it. Throws TerminalError `malformed`. */
export function recordedOutcomeOf({
  outcome,
  result,
  error_message: error,
}: RecordedToolCall): RecordedOutcome {
  const { kind = error === null ? "result" : "exception", ...rest } = parseKind(outcome ?? {});
  const message = error ?? "";
  switch (kind) {
    case "result": {
      const { content = "", is_error = false } = parseResult(result ?? {});
      return { kind, content, is_error, ...(rest.own_text === true ? { own_text: true } : {}) };
    }
    case "refused":
    case "unknown_tool":
      return { kind, message, ...(rest.reason === undefined ? {} : { reason: rest.reason }) };
    default:
      return {
        kind: "exception",
        message,
        ...(rest.is_timeout === true ? { is_timeout: true } : {}),
        ...(rest.may_have_run === true ? { may_have_run: true } : {}),
      };
  }
}
