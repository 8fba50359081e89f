import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import type { InteractionKind } from "#shared/contracts/statuses.ts";
import type { StepRows } from "../state/step-rows.ts";

interface InteractionRow {
  readonly interaction_id: string;
  readonly stage_id: string;
  readonly execution_id: string;
}

/** The `interaction.created` events of the interactions that a step records, model calls first. */
export function interactionEvents(
  session_id: string,
  { llmInteractions = [], mcpInteractions = [] }: StepRows,
): UnstampedPayload[] {
  const event =
    (interaction_type: InteractionKind) =>
    ({ stage_id, execution_id, interaction_id }: InteractionRow): UnstampedPayload => ({
      type: "interaction.created",
      session_id,
      stage_id,
      execution_id,
      interaction_id,
      interaction_type,
    });
  return [...llmInteractions.map(event("llm")), ...mcpInteractions.map(event("mcp"))];
}
