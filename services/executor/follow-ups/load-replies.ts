import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { MESSAGE_ROLES } from "#shared/contracts/statuses.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { StepRecord } from "../persist/step-record.ts";
import type { StageState } from "../state/session-state.ts";

const Reply = Type.Object({
  sequence_number: Type.Integer(),
  role: literals(MESSAGE_ROLES),
  content: Type.String(),
});
const parseReply = compileParser("message of a stage", Reply);

const MESSAGES = `
SELECT sequence_number, role, content FROM messages WHERE stage_id = $1 ORDER BY sequence_number`;

/** Reads the conversation of a stage with one agent, with its last steps, which are not committed yet. Throws database errors. */
export async function loadReplies(
  db: Queryable,
  { stage_id }: Pick<StageState, "stage_id">,
  last: readonly StepRecord[],
): Promise<Static<typeof Reply>[]> {
  const stored = await selectRows(db, parseReply, MESSAGES, [stage_id]);
  const added = last.flatMap(({ rows: { messages = [] } }) => messages);
  const bySequence = new Map([...stored, ...added].map((message) => [message.sequence_number, message]));
  return [...bySequence.values()].toSorted((a, b) => a.sequence_number - b.sequence_number);
}
