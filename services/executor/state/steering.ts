import { isNull } from "#shared/database/connection/statement-limits.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";
import { STEERING_MODES } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

/** A message of a person that an agent has not read yet. */
export const SteeringMessage = Type.Object({
  message_id: Uuid,
  mode: literals(STEERING_MODES),
  content: Type.Union([Type.String(), Type.Null()]),
  author: Type.String(),
  /** It comes from an alert that says that the incident is over, not from a person. */
  is_from_alert: Type.Boolean(),
  /** The timeline rows of the calls that are to be skipped; empty for other modes. */
  calls: Type.Array(Uuid),
});
export type SteeringMessage = Static<typeof SteeringMessage>;

/**
 * The messages for the execution $1 that it has not read, in the order in which they were posted, as JSON. `e` is its row. A
 * message without targets was posted while no agent ran: it is for the agents that started first after that, which are a
 * synthesis of the same stage, or the agents of the next stage.
 */
export const UNREAD_STEERING = `
  (SELECT coalesce(json_agg(m ORDER BY m.ordinal), '[]') FROM (
     SELECT m.ordinal, m.message_id, m.mode, m.content, m.author, m.is_from_alert, m.calls
     FROM steering_messages m JOIN stages s ON s.stage_id = e.stage_id
     WHERE m.session_id = e.session_id
       AND (e.execution_id = ANY(m.targets) OR m.targets IS NULL AND e.parent_execution_id IS NULL AND (
         s.stage_index = m.after_stage AND e.agent_index > m.after_agent
         OR s.stage_index = m.after_stage + 1 AND e.agent_index <= s.expected_agent_count AND NOT EXISTS (
           SELECT FROM agent_executions other JOIN stages former USING (stage_id)
           WHERE other.session_id = m.session_id AND ${isNull("other.parent_execution_id")} AND former.stage_index = m.after_stage
             AND other.agent_index > m.after_agent)))
       AND NOT EXISTS (SELECT FROM steering_deliveries d
                       WHERE d.message_id = m.message_id AND d.execution_id = e.execution_id)) m)`;
