import { completeRows, type FinishedCall, replyMessages, warningRows } from "./reply-rows.ts";
import { llmInteractionRow } from "./llm-interaction-row.ts";
import { uuidFrom } from "#shared/uuid-from.ts";
import type { IterationState } from "#shared/contracts/iteration-state.ts";
import { changeAfterFailure, speaksAgainstProvider, usedIterations } from "../controllers/choose-provider.ts";
import type { AgentState, CallLlm } from "../core/agent-state.ts";
import type { ExecutionRun } from "../core/execution-run.ts";
import { newMessages, type AppendedMessage } from "../persist/conversation.ts";
import type { StepRecord } from "../persist/step-record.ts";
import { replyFailure, replyTokens, type CallFailure } from "./llm-reply.ts";
import { boundNames, ownTools } from "./generate-request.ts";

/** How many empty replies in a row are asked for again; the next one is a failed call. */
const EMPTY_REPLIES_ALLOWED = 2;

/**
 * The step that records an LLM call's outcome: its timeline rows, the assistant message, the interaction, the token sums and
 * the iteration state. Rows of an earlier attempt that the last one did not fill end as `cancelled`. An empty reply that is
 * asked for again leaves nothing but its interaction.
 */
export function recordLlmCall(run: ExecutionRun, step: CallLlm, call: FinishedCall): StepRecord {
  const { execution, state } = run;
  const { reply, timeline, iteration, durationMs } = call;
  const failure = replyFailure(reply, step);
  const interactionId = uuidFrom(`llm:${iteration}`, execution.execution_id);
  const warnings = warningRows(reply, state.iteration.shown_warnings);
  for (const row of warnings.rows) timeline.add({ ...row, interactionId });
  const isAskedAgain = isEmptyReply(failure) && (state.iteration.empty_replies ?? 0) < EMPTY_REPLIES_ALLOWED;
  const { budget_stop: budget } = state.iteration;
  const asked = { step, agent: state.agent, used: usedIterations(state.iteration), budget };
  completeRows(asked, call, { interactionId, failure: isAskedAgain ? null : failure });
  const { rows, events } = timeline.record();
  const interaction = llmInteractionRow(execution, {
    interactionId,
    type: step.interaction,
    provider: state.agent.llm_provider,
    pricing: run.session,
    lastMessageId: state.messages.at(-1)?.message_id ?? null,
    request: {
      messages_count: state.messages.length,
      iteration,
      tools_count: step.tools.length,
      provider: state.agent.llm_provider.name,
      ...ownTools(step, state),
      ...boundNames(step, state),
    },
    reply,
    storedText: failure === null ? (replyMessages(step, reply)[0]?.content ?? "") : "",
    durationMs,
    failure,
  });
  const tokens = replyTokens(reply);
  const iteration_state = {
    ...(isAskedAgain
      ? stateAfterEmptyReply(state, call)
      : nextIterationState(countedState(state, step), call, failure)),
    ...(warnings.shown.length === 0 ? {} : { shown_warnings: [...warnings.shown] }),
  };
  const after = { agent: state.agent, iteration: iteration_state };
  // Another provider is asked what the failed one was asked.
  const isAskedOfAnother = changeAfterFailure(after) !== null;
  const messages =
    failure === null
      ? replyMessages(step, reply)
      : isAskedAgain || isAskedOfAnother
        ? []
        : failureMessage(step, failure);
  return {
    rows: {
      ...rows,
      ...(warnings.isDegraded ? { session: { degraded: true } } : {}),
      llmInteractions: [interaction],
      ...(messages.length === 0 ? {} : { messages: newMessages(run, messages) }),
      executionChanges: [{ execution_id: execution.execution_id, iteration_state, tokens }],
    },
    events,
    tokens,
  };
}

/** The user message after a failed call; none if the controller asks for none. */
function failureMessage({ afterFailure }: CallLlm, failure: CallFailure): AppendedMessage[] {
  return afterFailure === null ? [] : [{ role: "user", content: afterFailure(failure) }];
}

function isEmptyReply(failure: CallFailure | null): boolean {
  return failure?.code === "empty_response";
}

/** The reply used up no iteration. */
function stateAfterEmptyReply(
  { iteration: before }: AgentState,
  { iteration }: FinishedCall,
): IterationState {
  const { unfinished_step: _step, empty_replies = 0, uncounted = 0, ...rest } = before;
  return {
    ...rest,
    iteration,
    last_failed: false,
    empty_replies: empty_replies + 1,
    uncounted: uncounted + 1,
  };
}

/** The limits of a sub-agent, of an agent that has started some, and of a budget, the tools that were found, and the conclusion, hold for all of its iterations. */
function kept({
  deadline_at,
  budget_until,
  budget_stop,
  results,
  found_tools,
  conclusion,
}: IterationState): Partial<IterationState> {
  return {
    ...(results === undefined ? {} : { results }),
    ...(found_tools === undefined ? {} : { found_tools }),
    ...(conclusion === undefined ? {} : { conclusion }),
    ...(budget_stop === undefined ? {} : { budget_stop }),
    ...(deadline_at === undefined ? {} : { deadline_at }),
    ...(budget_until === undefined ? {} : { budget_until }),
  };
}

/** The call that only states the conclusion uses up no iteration. */
function countedState(state: AgentState, { interaction }: CallLlm): AgentState {
  if (interaction !== "conclusion") return state;
  const { iteration } = state;
  return { ...state, iteration: { ...iteration, uncounted: (iteration.uncounted ?? 0) + 1 } };
}

function nextIterationState(
  { iteration: before }: AgentState,
  { iteration, written = new Map() }: FinishedCall,
  failure: CallFailure | null,
): IterationState {
  const { provider, uncounted, provider_failures = 0, empty_replies, summarizers } = before;
  const isHeldAgainst = failure !== null && speaksAgainstProvider(failure.code);
  return {
    ...(provider === undefined ? {} : { provider }),
    ...(uncounted === undefined ? {} : { uncounted }),
    ...(written.size === 0 ? {} : { masked_arguments: [...written.keys()] }),
    ...(summarizers === undefined ? {} : { summarizers }),
    ...kept(before),
    ...(isHeldAgainst ? { provider_failures: provider_failures + 1 } : {}),
    ...(isEmptyReply(failure) && empty_replies !== undefined ? { empty_replies } : {}),
    iteration,
    phase: before.phase,
    last_failed: failure !== null,
    consecutive_failures: failure === null ? 0 : before.consecutive_failures + 1,
    last_error: failure?.message ?? null,
    last_error_code: failure?.code ?? null,
    last_error_retryable: failure?.retryable ?? true,
    consecutive_timeouts: failure?.code === "timeout" ? before.consecutive_timeouts + 1 : 0,
  };
}
