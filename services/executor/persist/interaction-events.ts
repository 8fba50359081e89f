import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import type { InteractionKind } from "#shared/contracts/statuses.ts";
import { ofExecution, type OfExecution, type StepRows } from "../state/step-rows.ts";

interface InteractionRow extends OfExecution {
  readonly interaction_id: string;
}

/** The `interaction.created` events of the interactions that a step records, model calls first. */
export function interactionEvents(
  session_id: string,
  { llmInteractions = [], mcpInteractions = [] }: StepRows,
): UnstampedPayload[] {
  const event =
    (interaction_type: InteractionKind) =>
    (row: InteractionRow): UnstampedPayload => ({
      type: "interaction.created",
      session_id,
      ...ofExecution(row),
      interaction_id: row.interaction_id,
      interaction_type,
    });
  return [...llmInteractions.map(event("llm")), ...mcpInteractions.map(event("mcp"))];
}
