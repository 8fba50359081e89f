import { v5 as uuidFrom } from "uuid";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { RunTool } from "../controllers/controller.ts";
import { timelineOf, type ExecutionRun } from "../execution-run.ts";
import { wholeRowId } from "../persist/timeline-writer.ts";
import { parseActionInput } from "../react-parser/parse-action-input.ts";
import { abandonOpenCalls } from "./abandon-open-calls.ts";
import { callTool } from "./call-tool.ts";
import { recordToolCall, toolCallKey, toolNames } from "./record-tool-call.ts";

/**
 * Adds a tool call's timeline row to the agent's steps, unless a former owner has inserted it. It must be stored before the
 * call is made: to the next owner it says that the call may have run.
 */
export function announceToolCall(run: ExecutionRun, { call }: RunTool): void {
  const { execution, state, steps } = run;
  const { iteration } = state.iteration;
  const key = toolCallKey(call);
  if (steps.memory.timeline.announced.has(wholeRowId(execution, iteration, key))) return;
  const timeline = timelineOf(run, iteration);
  timeline.add({
    key,
    type: "llm_tool_call",
    content: postgresSafeText(call.rawArguments).text,
    metadata: { ...toolNames(call.name), arguments: parseActionInput(call.rawArguments) },
    interactionId: null,
  });
  steps.add(timeline.record());
}

/**
 * Makes one announced tool call: has it run once, and adds its outcome with the message to the model to the agent's steps.
 * If a former owner has announced it, the call may have run: then its recorded outcome counts, otherwise its id is
 * abandoned and a new attempt is made.
 */
export async function performToolCall(run: ExecutionRun, { call, asObservation }: RunTool): Promise<void> {
  const { session, execution, state, steps } = run;
  const { iteration, tools_budget_ms } = state.iteration;
  const callId = uuidFrom(`tool:${iteration}:${call.index}`, execution.execution_id);
  const parameters = parseActionInput(call.rawArguments);
  const request = { callId, executionId: execution.execution_id, name: call.name };
  const announced = steps.memory.timeline.announced.get(wholeRowId(execution, iteration, toolCallKey(call)));
  if (announced?.byThisOwner !== true) await abandonOpenCalls(session, [request]);
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
  steps.add(recordToolCall(run, { call, parameters, asObservation, outcome, durationMs }));
}
