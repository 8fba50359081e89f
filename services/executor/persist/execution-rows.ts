import type { EntityManager } from "typeorm";
import type { UnstampedPayload } from "#shared/contracts/session-event.ts";
import type { RunStatus } from "#shared/contracts/statuses.ts";
import type { TokenUsage } from "#shared/database/append-events.ts";
import { AgentExecutionEntity } from "#shared/database/entities/agent-execution.ts";
import type { TerminalError } from "#shared/errors.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { closeTimeline } from "./close-timeline.ts";
import { commitStep } from "./commit-step.ts";
import type { ExecutionState } from "./load-session.ts";
import { progressEvent, type StageContext } from "./progress-event.ts";
import type { RunOutcome } from "./run-outcome.ts";
import type { SessionWriter } from "./session-writer.ts";
import { openTimelineWriter } from "./timeline-writer.ts";

/** Commits that an execution is active, before it does anything else. */
export async function startExecution(
  session: SessionWriter,
  stage: StageContext,
  execution: ExecutionState,
): Promise<void> {
  await commitStep(session, async (manager) => {
    await manager.update(
      AgentExecutionEntity,
      { execution_id: execution.execution_id },
      { status: "active", started_at: () => "now()" },
    );
    const progress = await progressEvent(manager, stage, "investigating");
    return { events: [executionEvent(execution, "active"), progress] };
  });
}

/** An execution that comes to its regular end. */
interface FinishedExecution {
  readonly session: SessionWriter;
  readonly stage: StageContext;
  readonly execution: ExecutionState;
  /** The number of its last iteration. */
  readonly iteration: number;
}

/** Commits how an execution ended, and its `answer` where the timeline does not have it yet. */
export async function finishExecution(
  { session, stage, execution, iteration }: FinishedExecution,
  { answer, ...outcome }: RunOutcome & { readonly answer: string | null },
): Promise<void> {
  const timeline = await openTimelineWriter(session, execution, iteration);
  await commitStep(session, async (manager) => {
    const answerEvents =
      answer === null || answer === ""
        ? []
        : [await timeline.addStream(manager, "answer", { content: answer, interactionId: null })];
    return { events: [...answerEvents, ...(await endExecution(manager, stage, execution, outcome))] };
  });
}

/** Commits that an execution failed, with its open timeline rows; the stage's other executions are not affected. */
export async function failExecution(
  session: SessionWriter,
  stage: StageContext,
  execution: ExecutionState,
  error: TerminalError,
): Promise<void> {
  session.log.error(
    { execution_id: execution.execution_id, code: error.code, error: error.message },
    "agent failed",
  );
  const errorMessage = postgresSafeText(error.message).text;
  let closed: UnstampedPayload[] = [];
  // No chunk may follow its row's completed event.
  await Promise.all(session.streams.all().map((stream) => stream.flush()));
  await commitStep(session, async (manager) => {
    closed = await closeTimeline(manager, session, "failed", execution.execution_id);
    const outcome = { status: "failed", errorMessage, errorCode: error.code } as const;
    return { events: [...closed, ...(await endExecution(manager, stage, execution, outcome))] };
  });
  for (const event of closed) if ("event_id" in event) session.streams.forget(event.event_id);
}

async function endExecution(
  manager: EntityManager,
  stage: StageContext,
  execution: ExecutionState,
  { status, errorMessage, errorCode }: RunOutcome,
): Promise<UnstampedPayload[]> {
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
  return [executionEvent(execution, status), await progressEvent(manager, stage, "investigating")];
}

/** The `execution.status` event of an execution whose status has changed to `status`. */
export function executionEvent(
  execution: Pick<ExecutionState, "session_id" | "stage_id" | "execution_id" | "agent_name" | "agent_index">,
  status: RunStatus,
): UnstampedPayload {
  const { session_id, stage_id, execution_id, agent_name, agent_index } = execution;
  return {
    type: "execution.status",
    session_id,
    stage_id,
    execution_id,
    agent_name,
    agent_index,
    status,
  };
}

/** The column update that adds an LLM call's tokens to those of its execution. */
export function tokenSums(tokens: TokenUsage) {
  return {
    input_tokens: () => `input_tokens + ${tokens.input}`,
    output_tokens: () => `output_tokens + ${tokens.output}`,
    thinking_tokens: () => `thinking_tokens + ${tokens.thinking}`,
    total_tokens: () => `total_tokens + ${tokens.total}`,
  };
}
