import type { ConclusionState } from "#shared/contracts/iteration-state.ts";
import { changeAfterFailure } from "../../controllers/choose-provider.ts";
import { concludeTool, findBuiltInTool } from "../../controllers/built-in-tools.ts";
import { openCall } from "../../controllers/iterating.ts";
import { completed, type AgentState, type AgentStep } from "../../core/agent-state.ts";
import { parseReact } from "../../react-parser/parse-react.ts";

/** An agent states its conclusion once, and once more if a quote was not found. */
export const MAX_ATTEMPTS = 2;
/** Failed calls in a row after which the answer stands without a conclusion. */
const MAX_FAILURES = 2;
/** A shorter text beside the call says what is done, and is no answer. */
const MIN_ANSWER_CHARS = 200;

export const NOTHING_STATED: ConclusionState = { attempts: 0, failing: 0 };

/**
 * The step that has an agent state its conclusion, instead of `next`: an agent that has answered without it is asked, once; then only
 * the conclusion is due until it is checked. Text beside a call whose quotes were all found is the answer. Null for any other agent.
 */
export function decideConclusion(state: AgentState, next: AgentStep): AgentStep | null {
  const { agent, iteration, messages } = state;
  if (agent.conclusion === undefined) return null;
  const { attempts, failing } = iteration.conclusion ?? NOTHING_STATED;
  const asked = isAsked(state);
  // Each call needs a result before anything else is said, also one of an agent that calls no other tools.
  const open = asked ? openCall(state) : null;
  if (open !== null) return open;
  if (next.kind.startsWith("deliver-")) return null;
  if (asked) return whenAsked(state);
  if (next.kind === "finish" && next.status === "completed" && attempts === 0) {
    const answer = next.answer === null ? undefined : messages.at(-1)?.sequence_number;
    return { kind: "ask-for-conclusion", ...(answer === undefined ? {} : { answerAt: answer }) };
  }
  if (next.kind !== "call-llm" || attempts === 0 || failing > 0) return null;
  const answer = textBesideCall(state);
  return answer === null ? null : completed(answer);
}

/** True from the message that asks for the conclusion until someone else says something. */
export function isAsked({ iteration, messages }: Pick<AgentState, "iteration" | "messages">): boolean {
  const askedAt = iteration.conclusion?.asked_at;
  if (askedAt === undefined) return false;
  return !messages.some(({ role, sequence_number }) => role === "user" && sequence_number > askedAt);
}

function whenAsked(state: AgentState): AgentStep {
  const { agent, iteration, messages } = state;
  const { attempts, failing, answer_at } = iteration.conclusion ?? NOTHING_STATED;
  const last = messages.at(-1);
  const isStated = attempts >= MAX_ATTEMPTS || (attempts > 0 && failing === 0);
  if (last?.role === "assistant" && !isStated) return statedInText(state, last.content);
  if (isStated) {
    const answer = messages.find(({ sequence_number }) => sequence_number === answer_at);
    return completed(answer?.content ?? null);
  }
  const { last_failed, last_error_retryable: isRetryable, consecutive_failures } = iteration;
  if (last_failed) {
    const change = changeAfterFailure(state);
    if (change !== null) return change;
    const isOver = consecutive_failures >= MAX_FAILURES || !isRetryable;
    if (isOver) return { kind: "check-conclusion", text: null };
  }
  // An agent that writes its calls as text, or whose provider takes no tools, writes JSON.
  const bindsTool = agent.iteration_strategy !== "react" && !last_failed;
  return {
    kind: "call-llm",
    interaction: "conclusion",
    style: "native",
    tools: bindsTool ? [concludeTool(agent)] : [],
    afterFailure: null,
    thinkingMayAnswer: true,
  };
}

/** A conclusion written as a ReAct action, or as JSON. */
function statedInText({ tools }: AgentState, text: string): AgentStep {
  const { action, actionInput } = parseReact(text);
  const isAction = findBuiltInTool(action, tools ?? []) === "conclude";
  return { kind: "check-conclusion", text: isAction ? actionInput : text };
}

/** The text of the newest answer if it also called the tool; null if there is none that could be an answer. */
function textBesideCall({ messages, tools }: AgentState): string | null {
  const answer = messages.findLast(({ role }) => role === "assistant");
  const calls = answer?.tool_calls ?? [];
  const concludes = calls.some(({ name }) => findBuiltInTool(name, tools ?? []) === "conclude");
  const text = answer?.content.trim() ?? "";
  return concludes && text.length >= MIN_ANSWER_CHARS ? text : null;
}
