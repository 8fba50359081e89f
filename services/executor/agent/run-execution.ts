import { v5 as uuidFrom } from "uuid";
import { AgentExecutionEntity, type AgentExecution } from "#shared/database/entities/agent-execution.ts";
import { AlertSessionEntity } from "#shared/database/entities/alert-session.ts";
import { MessageEntity } from "#shared/database/entities/message.ts";
import type { SessionStep } from "../next-session-step.ts";
import type { OwnedSession } from "../owned-session.ts";
import { commitStep } from "../record/commit-step.ts";
import { nextAgentStep } from "./next-agent-step.ts";
import { performLlmCall } from "./perform-llm-call.ts";
import type { AgentState, AgentStep } from "./steps/agent-step.ts";

/** One execution as its steps see it. */
export interface ExecutionRun {
  readonly session: OwnedSession;
  readonly execution: AgentExecution;
  readonly state: AgentState;
}

/**
 * Runs one agent: loads what is stored, asks its strategy for the next step, performs it, commits the outcome and asks
 * again, until the execution's row is terminal. Throws the session signal's reason when called off.
 */
export async function runExecution(
  session: OwnedSession,
  { execution, agent, previous }: Extract<SessionStep, { kind: "run-execution" }>,
): Promise<void> {
  for (;;) {
    session.throwIfStopped();
    const state = await loadAgentState(session, execution, { agent, previous });
    const step = nextAgentStep(state);
    const startedAt = performance.now();
    await perform({ session, execution, state }, step);
    session.metrics.steps.inc({ kind: step.kind });
    session.metrics.stepSeconds.observe({ kind: step.kind }, (performance.now() - startedAt) / 1_000);
    if (step.kind === "conclude") return;
  }
}

async function loadAgentState(
  { db, sessionId }: OwnedSession,
  { execution_id }: AgentExecution,
  given: Pick<AgentState, "agent" | "previous">,
): Promise<AgentState> {
  const [alert, row, messages] = await Promise.all([
    db.getRepository(AlertSessionEntity).findOneOrFail({
      select: { session_id: true, alert_data: true, alert_type: true, runbook_url: true },
      where: { session_id: sessionId },
    }),
    db.getRepository(AgentExecutionEntity).findOneByOrFail({ execution_id }),
    db.getRepository(MessageEntity).find({ where: { execution_id }, order: { sequence_number: "ASC" } }),
  ]);
  return {
    ...given,
    alert: { data: alert.alert_data, alertType: alert.alert_type, runbookUrl: alert.runbook_url },
    messages,
    iteration: row.iteration_state,
  };
}

async function perform(run: ExecutionRun, step: AgentStep): Promise<void> {
  switch (step.kind) {
    case "open-conversation":
      return openConversation(run, step);
    case "call-llm":
      return performLlmCall(run, step);
    case "conclude":
      return conclude(run, step);
    default:
      return step satisfies never;
  }
}

async function openConversation(
  { session, execution }: ExecutionRun,
  { messages }: Extract<AgentStep, { kind: "open-conversation" }>,
): Promise<void> {
  const { execution_id, stage_id } = execution;
  await commitStep(session, async (manager) => {
    await manager.update(
      AgentExecutionEntity,
      { execution_id },
      { status: "active", started_at: () => "coalesce(started_at, now())" },
    );
    await manager.insert(
      MessageEntity,
      messages.map(({ role, content }, index) => ({
        message_id: uuidFrom(`message:${index + 1}`, execution_id),
        session_id: session.sessionId,
        stage_id,
        execution_id,
        role,
        content,
        sequence_number: index + 1,
      })),
    );
    return { events: [] };
  });
}

async function conclude(
  { session, execution }: ExecutionRun,
  { status, errorMessage, errorCode }: Extract<AgentStep, { kind: "conclude" }>,
): Promise<void> {
  await commitStep(session, async (manager) => {
    await manager.update(
      AgentExecutionEntity,
      { execution_id: execution.execution_id },
      {
        status,
        completed_at: () => "now()",
        duration_ms: () => "(extract(epoch FROM now() - started_at) * 1000)::int",
        error_message: errorMessage,
        error_code: errorCode,
      },
    );
    return { events: [] };
  });
}
