import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ToolCallOutcome } from "#shared/contracts/tool-call.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import type { Database } from "#shared/database/database.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { TOOL_CALLS } from "#shared/database/tables/tool-calls.ts";

/** A call whose id is claimed, with its progress. */
export interface ClaimedToolCall {
  readonly sessionId: string;
  /** "server.tool" */
  readonly name: string;
  readonly readOnly: boolean;
  readonly progress:
    | { readonly kind: "running"; readonly isLost: boolean }
    | { readonly kind: "abandoned" }
    | { readonly kind: "over"; readonly outcome: ToolCallOutcome };
}

const Row = Type.Object({
  ...rowMembers(TOOL_CALLS, "session_id", "name", "read_only", "state", "result", "is_error", "failure"),
  is_lost: Type.Boolean(),
});
const parseRow = compileParser("tool call row", Row);

const READ = `
SELECT session_id, name, read_only, state, result, is_error, failure,
       coalesce(alive_until < clock_timestamp(), false) AS is_lost
FROM tool_calls WHERE call_id = $1`;

/** Reads a call by its id; undefined if the id is not claimed. */
export async function readToolCall(db: Database, callId: string): Promise<ClaimedToolCall | undefined> {
  const [row] = await selectRows(db, parseRow, READ, [callId]);
  if (row === undefined) return undefined;
  const { session_id, name, read_only } = row;
  return { sessionId: session_id, name, readOnly: read_only, progress: progressOf(row) };
}

function progressOf(row: Static<typeof Row>): ClaimedToolCall["progress"] {
  const text = row.result ?? "";
  switch (row.state) {
    case "running":
      return { kind: "running", isLost: row.is_lost };
    case "abandoned":
      return { kind: "abandoned" };
    case "completed":
      return { kind: "over", outcome: { kind: "result", content: text, is_error: row.is_error === true } };
    case "failed":
      if (row.failure === null) throw new TerminalError("malformed", "a failed tool call has no failure");
      return { kind: "over", outcome: { kind: row.failure, message: text } };
    default:
      return row.state satisfies never;
  }
}
