import type { RunOutcome, StepRecord } from "../persist/step-record.ts";
import { stageEvent } from "../persist/stage-rows.ts";
import type { JudgedScore } from "../core/agent-state.ts";
import { endScore, startScore } from "../features/scoring/score-rows.ts";
import type { FollowUpState, StageState } from "../state/session-state.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { MESSAGE_ROLES } from "#shared/contracts/statuses.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";

/** The steps that start a follow-up: from now on its time runs. */
export function startFollowUp(
  session_id: string,
  followUp: FollowUpState,
  timeout_ms: number,
): readonly StepRecord[] {
  const { follow_up_id, kind } = followUp;
  const start = { rows: { followUpChanges: [{ follow_up_id, kind, starts: { timeout_ms } }] }, events: [] };
  return kind === "score" ? [start, startScore(session_id, followUp)] : [start];
}

/** The steps that record how a follow-up and its stage ended; `judged` is what a judge has said. */
export function endFollowUp(
  followUp: FollowUpState,
  stage: StageState,
  outcome: RunOutcome,
  judged: JudgedScore | null = null,
): readonly StepRecord[] {
  const { follow_up_id, kind } = followUp;
  const { status, errorMessage: error_message, errorCode: error_code } = outcome;
  const end = { status, error_message, error_code };
  const ending: StepRecord = {
    rows: {
      stageEnds: [{ stage_id: stage.stage_id, is_follow_up: true, ...end }],
      followUpChanges: [{ follow_up_id, kind, end }],
    },
    events: [stageEvent("stage.completed", stage, status)],
  };
  return kind === "score" ? [ending, endScore(stage.session_id, followUp, outcome, judged)] : [ending];
}

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
