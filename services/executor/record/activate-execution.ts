import type { EntityManager } from "typeorm";
import { AgentExecutionEntity } from "#shared/database/entities/agent-execution.ts";

/** Within an execution's first step: it runs from now on. Changes nothing the second time. */
export async function activateExecution(manager: EntityManager, execution_id: string): Promise<void> {
  await manager.update(
    AgentExecutionEntity,
    { execution_id },
    { status: "active", started_at: () => "coalesce(started_at, now())" },
  );
}
