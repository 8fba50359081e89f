import { v5 as uuidFrom } from "uuid";
import { TimelineEventEntity } from "#shared/database/entities/timeline-event.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { RequestedCall, RunTool } from "../controllers/controller.ts";
import type { ExecutionRun } from "../execution-run.ts";
import { commitStep } from "../persist/commit-step.ts";
import { openTimelineWriter, wholeRowId } from "../persist/timeline-writer.ts";
import { parseActionInput } from "../react-parser/parse-action-input.ts";
import { abandonOpenCalls } from "./abandon-open-calls.ts";
import { callTool } from "./call-tool.ts";
import { recordToolCall, toolCallKey, toolNames } from "./record-tool-call.ts";

/**
 * Makes one tool call: inserts its timeline row, has the call run once, and commits its outcome with the message to the
 * model. If a former owner has inserted the row, the call may have run: then its recorded outcome counts, otherwise its
 * id is abandoned and a new attempt is made.
 */
export async function performToolCall(run: ExecutionRun, { call, asObservation }: RunTool): Promise<void> {
  const { session, execution, state } = run;
  const { iteration, tools_budget_ms } = state.iteration;
  const callId = uuidFrom(`tool:${iteration}:${call.index}`, execution.execution_id);
  const parameters = parseActionInput(call.rawArguments);
  const { existed } = await insertPendingRow(run, call, parameters);
  const request = { callId, executionId: execution.execution_id, name: call.name };
  if (existed) await abandonOpenCalls(session, [request]);
  const startedAt = performance.now();
  const outcome = await callTool(
    session,
    state.tools ?? [],
    {
      ...request,
      // Arguments written as text are parsed first; structured ones are passed on unchanged.
      arguments: asObservation ? JSON.stringify(parameters) : call.rawArguments,
      timeoutMs: Math.max(1, tools_budget_ms),
      maxResultTokens: state.agent.llm_provider.max_tool_result_tokens,
    },
    session.signal,
  );
  const durationMs = Math.round(performance.now() - startedAt);
  await recordToolCall(run, { call, parameters, asObservation, outcome, durationMs });
}

/** Commits the call's timeline row before the call is made, unless a former owner has done so. */
async function insertPendingRow(
  { session, execution, state }: ExecutionRun,
  call: RequestedCall,
  parameters: object,
): Promise<{ existed: boolean }> {
  const { iteration } = state.iteration;
  const key = toolCallKey(call);
  const event_id = wholeRowId(execution, iteration, key);
  if (await session.db.manager.existsBy(TimelineEventEntity, { event_id })) return { existed: true };
  const timeline = await openTimelineWriter(session, execution, iteration);
  await commitStep(session, async (manager) => ({
    events: [
      await timeline.add(manager, {
        key,
        type: "llm_tool_call",
        content: postgresSafeText(call.rawArguments).text,
        metadata: { ...toolNames(call.name), arguments: parameters },
        interactionId: null,
      }),
    ],
  }));
  return { existed: false };
}
