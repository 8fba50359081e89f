import { DEFAULT_RESULT_TOKENS, CHARS_PER_TOKEN, MIN_SHOWN_CHARS } from "#shared/contracts/result-sizes.ts";
import { toolCallId } from "#shared/contracts/tool-call.ts";
import { findBuiltInTool, isMemoryTool, isSubAgentTool } from "../controllers/built-in-tools.ts";
import type { RunTool } from "../core/agent-state.ts";
import type { ExecutionRun } from "../core/execution-run.ts";
import type { Answers, BuiltInCall } from "../core/feature.ts";
import { wholeRowId } from "../persist/timeline-writer.ts";
import { parseActionInput } from "../react-parser/parse-action-input.ts";
import { watchSkip } from "../features/steering/watch-skip.ts";
import { inToolSpan } from "../tracing/agent-spans.ts";
import { abandonOpenCalls } from "./abandon-open-calls.ts";
import { callArguments } from "./call-arguments.ts";
import { callTool, unmakeableCall } from "./call-tool.ts";
import type { MadeCall } from "./calls-ahead.ts";
import { ProgressRelay } from "./progress-relay.ts";
import type { ToolOutcome } from "./tool-outcome.ts";
import { toolCallKey, toolNames } from "./record-tool-call.ts";
import { answerFromRecord } from "./recorded/answer-from-record.ts";

/**
 * Has an announced call run once. If a former owner has announced it, the call may have run: then its recorded outcome
 * counts, otherwise its id is abandoned and a new attempt is made.
 */
export async function makeToolCall(
  run: ExecutionRun,
  step: Pick<RunTool, "call" | "asObservation">,
  signal: AbortSignal,
): Promise<MadeCall> {
  const { session, execution, state } = run;
  const { index, name, rawArguments } = step.call;
  const tools = state.tools ?? [];
  const knownName = findBuiltInTool(name, tools) ?? tools.find((tool) => tool.name === name)?.name;
  const callId = toolCallId(execution.execution_id, { iteration: state.iteration.iteration, index });
  return inToolSpan(session, { callId, knownName, arguments: rawArguments }, () => make(run, step, signal));
}

async function make(
  run: ExecutionRun,
  step: Pick<RunTool, "call" | "asObservation">,
  signal: AbortSignal,
): Promise<MadeCall> {
  const { call } = step;
  const { session, execution, state, steps } = run;
  const { iteration } = state.iteration;
  const position = { iteration, index: call.index };
  const callId = toolCallId(execution.execution_id, position);
  const written = writtenArguments(run, call);
  const request = { callId, executionId: execution.execution_id, name: call.name };
  const eventId = wholeRowId(execution, iteration, toolCallKey(call));
  const announced = steps.memory.timeline.announced.get(eventId);
  const builtIn = findBuiltInTool(call.name, state.tools ?? []);
  if (isSubAgentTool(builtIn)) throw new Error(`${builtIn} is answered by the step that asks for it`);
  const startedAt = performance.now();
  const parameters = parseActionInput(call.rawArguments);
  const callArgumentsText = callArguments(step, written ?? call.rawArguments);
  if (session.toolSource !== "live" && (builtIn === undefined || isMemoryTool(builtIn))) {
    const asked = { executionId: execution.execution_id, ...position, name: call.name, parameters };
    const unmakeable =
      builtIn === undefined
        ? unmakeableCall(state.tools ?? [], { name: call.name, arguments: callArgumentsText })
        : null;
    const outcome = unmakeable ?? (await answerFromRecord(session, asked));
    if (outcome !== null) return { outcome, ms: performance.now() - startedAt };
  }
  // No runner can have run a built-in tool.
  if (announced?.byThisOwner !== true && builtIn === undefined) await abandonOpenCalls(session, [request]);
  const maxResultTokens = resultTokens(run, call.name);
  using skip = watchSkip(run, eventId);
  using relay = new ProgressRelay({ session, executionId: execution.execution_id, eventId });
  const outcome =
    builtIn === undefined
      ? await callTool(
          session,
          state.tools ?? [],
          {
            ...request,
            position,
            arguments: callArgumentsText,
            isIncomplete: written === null,
            timeoutMs: session.toolCallMs,
            maxResultTokens,
            onProgress: (progress) => relay.push(progress),
          },
          AbortSignal.any([signal, skip.signal]),
        )
      : await answerBuiltIn(
          run,
          {
            name: builtIn,
            parameters,
            maxChars: Math.max(MIN_SHOWN_CHARS, maxResultTokens * CHARS_PER_TOKEN),
            handle: callId,
          },
          signal,
        );
  return { outcome, ms: performance.now() - startedAt };
}

async function answerBuiltIn<Name extends keyof Answers>(
  run: ExecutionRun,
  call: BuiltInCall<Name>,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  return run.session.features.tools[call.name](run, call, signal);
}

/** The longest result that goes into the conversation whole: as the server's configuration and the provider allow. */
function resultTokens({ state }: ExecutionRun, name: string): number {
  const { server_name } = toolNames(name);
  const ofServer = state.chain.mcp_server_result_tokens?.[server_name] ?? DEFAULT_RESULT_TOKENS;
  return Math.min(ofServer, state.agent.llm_provider.max_tool_result_tokens);
}

/**
 * The arguments as the model wrote them. Null if only masked ones are left: the process that had the others in memory is
 * gone.
 */
function writtenArguments(
  { state, steps }: ExecutionRun,
  { index, rawArguments }: RunTool["call"],
): string | null {
  if (state.iteration.masked_arguments?.includes(index) !== true) return rawArguments;
  return steps.writtenArguments.get(index) ?? null;
}
