import { toolCallId } from "#shared/contracts/tool-call-id.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { RunTool } from "../controllers/controller.ts";
import { timelineOf, type ExecutionRun } from "../execution-run.ts";
import { wholeRowId } from "../persist/timeline-writer.ts";
import { parseActionInput } from "../react-parser/parse-action-input.ts";
import { abandonOpenCalls } from "./abandon-open-calls.ts";
import { callTool, type ToolOutcome } from "./call-tool.ts";
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
 * abandoned and a new attempt is made. A call for which the iteration has no time left is not made.
 */
export async function performToolCall(run: ExecutionRun, { call, asObservation }: RunTool): Promise<void> {
  const { session, execution, state, steps } = run;
  const { iteration, tools_budget_ms } = state.iteration;
  const position = { iteration, index: call.index };
  const callId = toolCallId(execution.execution_id, position);
  const parameters = parseActionInput(call.rawArguments);
  const request = { callId, executionId: execution.execution_id, name: call.name };
  const announced = steps.memory.timeline.announced.get(wholeRowId(execution, iteration, toolCallKey(call)));
  if (announced?.byThisOwner !== true) await abandonOpenCalls(session, [request]);
  const startedAt = performance.now();
  // An iteration's time also passes between its calls, as far as this owner has seen it.
  const sinceOutcomeMs = startedAt - (steps.outcomeAt ?? startedAt);
  const timeoutMs = tools_budget_ms - sinceOutcomeMs;
  if (timeoutMs <= 0 && announced?.byThisOwner === true) {
    const outcome = timeIsUp(state.agent.iteration_timeout_ms);
    const usedMs = { call: 0, iteration: sinceOutcomeMs };
    steps.add(recordToolCall(run, { call, parameters, asObservation, outcome, usedMs }));
    return;
  }
  const outcome = await callTool(
    session,
    state.tools ?? [],
    {
      ...request,
      position,
      // Arguments written as text are parsed first; structured ones are passed on unchanged.
      arguments: asObservation ? JSON.stringify(parameters) : call.rawArguments,
      timeoutMs: Math.max(1, timeoutMs),
      maxResultTokens: state.agent.llm_provider.max_tool_result_tokens,
    },
    session.signal,
  );
  const callMs = performance.now() - startedAt;
  const usedMs = { call: callMs, iteration: sinceOutcomeMs + callMs };
  steps.add(recordToolCall(run, { call, parameters, asObservation, outcome, usedMs }));
}

function timeIsUp(iterationTimeoutMs: number): ToolOutcome {
  const message = `timed out: the iteration's ${iterationTimeoutMs / 1_000} s are used up; the call was not made`;
  return { kind: "exception", message, isTimeout: true, mayHaveRun: false };
}
