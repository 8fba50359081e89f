import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import type { ExecutionState } from "../../state/session-state.ts";

const parseContent = compileParser("feedback", Type.Object({ content: Type.String() }));

const FEEDBACK = `
SELECT content FROM timeline_events WHERE execution_id = $1 AND event_type = 'user_question'
ORDER BY sequence_number LIMIT 1`;

/** Reads the feedback that an execution learns from: the first entry of its timeline. Throws TerminalError `malformed` if there is none. */
export async function loadFeedback(
  db: Queryable,
  { execution_id }: Pick<ExecutionState, "execution_id">,
): Promise<string> {
  const [row] = await selectRows(db, parseContent, FEEDBACK, [execution_id]);
  if (row === undefined) throw new TerminalError("malformed", "there is no feedback to learn from");
  return row.content;
}
