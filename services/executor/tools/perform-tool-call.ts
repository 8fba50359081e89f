import { v5 as uuidFrom } from "uuid";
import { abandonOpenCalls } from "./abandon-open-calls.ts";
import { callTool } from "./call-tool.ts";
import { announceToolCall } from "./announce-tool-call.ts";
import { recordToolCall } from "./record-tool-call.ts";
import { parseActionInput } from "../react-parser/parse-action-input.ts";
import type { ExecutionRun } from "../execution-run.ts";
import type { AgentStep } from "../controllers/controller.ts";

/**
 * Makes one tool call: announces it, has it run once, and commits its outcome with what the model is told. A call that a
 * former owner announced is taken up: if it ran, its recorded outcome counts; if not, it never will and is made anew.
 */
export async function performToolCall(
  run: ExecutionRun,
  { call, asObservation }: Extract<AgentStep, { kind: "run-tool" }>,
): Promise<void> {
  const { session, execution, state } = run;
  const { iteration, tools_budget_ms } = state.iteration;
  const callId = uuidFrom(`tool:${iteration}:${call.index}`, execution.execution_id);
  const given = parseActionInput(call.rawArguments);
  const { wasAnnounced } = await announceToolCall(run, call, given);
  const order = { callId, executionId: execution.execution_id, name: call.name };
  if (wasAnnounced) await abandonOpenCalls(session, [order]);
  const startedAt = performance.now();
  const outcome = await callTool(
    session,
    state.tools ?? [],
    {
      ...order,
      // What the model wrote as text is understood first; what it structured is passed on as it is.
      arguments: asObservation ? JSON.stringify(given) : call.rawArguments,
      timeoutMs: Math.max(1, tools_budget_ms),
      maxResultTokens: state.agent.llm_provider.max_tool_result_tokens,
    },
    session.signal,
  );
  const durationMs = Math.round(performance.now() - startedAt);
  await recordToolCall(run, { call, given, asObservation, outcome, durationMs });
}
