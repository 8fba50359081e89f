import type { BudgetCause } from "#shared/contracts/budget.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { AgentState, CallLlm } from "../core/agent-state.ts";
import type { RowEnd, StreamKind, TimelineWriter, WholeRow } from "../persist/timeline-writer.ts";
import { parseReact } from "../react-parser/parse-react.ts";
import { reactAnswer, storedAnswer } from "../controllers/action-claim.ts";
import type { CallFailure, LlmReply } from "./llm-reply.ts";
import { nativeToolRows } from "./native-tool-rows.ts";
import { MAX_CALLS_PER_ANSWER } from "#shared/contracts/tool-call.ts";
import type { AppendedMessage } from "../persist/conversation.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { ReactSections } from "../react-parser/react-sections.ts";
import { createHash } from "node:crypto";
import { TOOLS_LEFT_OUT } from "#shared/contracts/llm-error-codes.ts";
import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";

/** The step that asked a model, and the agent whose step it is. */
interface AskedAgent {
  readonly step: CallLlm;
  readonly agent: AgentState["agent"];
  /** The iterations before this call. */
  readonly used: number;
  /** The budget for which it is asked to conclude; undefined for none. */
  readonly budget: BudgetCause | undefined;
}

/** A finished call and the rows it was streamed into. */
export interface FinishedCall {
  readonly reply: LlmReply;
  /** As in `MaskedReply`; absent for none. */
  readonly written?: ReadonlyMap<number, string>;
  /** From 1. */
  readonly iteration: number;
  readonly timeline: TimelineWriter;
  readonly durationMs: number;
}

export function completeRows(
  { step, agent, used, budget }: AskedAgent,
  { reply, timeline }: FinishedCall,
  { interactionId, failure }: { interactionId: string; failure: CallFailure | null },
): void {
  const contents = reply.outcome.kind === "completed" ? replyContents({ step, agent }, reply) : undefined;
  const missing = new Map(contents);
  const answerMetadata =
    step.interaction === "forced_conclusion" ? forcedConclusion(agent, used, budget) : null;
  for (const row of timeline.openRows()) {
    const end = rowEnd(
      row.text,
      contents === undefined ? undefined : (contents.get(row.kind) ?? null),
      (text) => partialContent({ kind: row.kind, text }, reply, step.style === "react"),
    );
    const metadata = row.kind === "answer" && end.status === "completed" ? answerMetadata : null;
    timeline.complete(row, { ...end, interactionId, ...(metadata === null ? {} : { metadata }) });
    missing.delete(row.kind);
  }
  // ReAct agents reason in text; native tool use of the provider is only in the interaction's record.
  for (const row of step.style === "react" ? [] : nativeToolRows(reply)) {
    timeline.addBeforeAnswer({ ...row, interactionId });
  }
  // Rows of the complete text that were not streamed.
  for (const [kind, content] of missing) {
    const metadata = kind === "answer" && answerMetadata !== null ? { metadata: answerMetadata } : {};
    timeline.addStream(kind, { content, interactionId, ...metadata });
  }
  if (failure !== null) {
    const content = `LLM error: ${failure.message} (code: ${failure.code}, retryable: ${failure.retryable})`;
    timeline.add({ type: "error", content, metadata: null, interactionId });
  }
  const excess = failure === null && runsCalls(step) ? excessCalls(reply) : null;
  if (excess !== null) {
    timeline.add({ type: "error", content: excess, metadata: null, interactionId });
  }
}

/**
 * How an open row ends. `streamed` is the text this call wrote into it, null if none; `content` the text the complete
 * reply has for it, null if none, undefined if the reply is incomplete; `partial` returns what is then kept of the text.
 */
function rowEnd(
  streamed: string | null,
  content: string | null | undefined,
  partial: (streamed: string) => string,
): Pick<RowEnd, "status" | "content"> {
  if (content !== undefined && content !== null) return { status: "completed", content };
  if (streamed === null) return { status: "cancelled", content: "" };
  // The complete text has nothing for a row that was streamed.
  if (content === null) return { status: "failed", content: streamed };
  return { status: "failed", content: partial(streamed) };
}

/**
 * The content of each timeline row by the complete reply, in the rows' order. The complete text is authoritative: it
 * replaces what was streamed, and a streamed row without content here was streamed in error.
 */
function replyContents(
  { step, agent }: Pick<AskedAgent, "step" | "agent">,
  reply: LlmReply,
): ReadonlyMap<StreamKind, string> {
  const contents = new Map<StreamKind, string>();
  const put = (kind: StreamKind, content: string) => {
    if (content !== "") contents.set(kind, postgresSafeText(content).text);
  };
  const putAnswer = (text: string) => put("answer", storedAnswer(agent, text));
  put("thinking", reply.thinking);
  switch (step.style) {
    case "final-answer":
      putAnswer(reply.text === "" && step.thinkingMayAnswer ? reply.thinking : reply.text);
      return contents;
    case "native":
      // Without tool calls it is the answer.
      put("response", reply.toolCalls.length === 0 ? storedAnswer(agent, reply.text) : reply.text);
      return contents;
    case "react": {
      put("thought", parseReact(reply.text).thought);
      const answer = reactAnswer(reply.text, step.interaction === "forced_conclusion") ?? "";
      if (step.isInterim === true) put("response", answer);
      else putAnswer(answer);
      return contents;
    }
    default:
      return step.style satisfies never;
  }
}

/** Whether the structured calls of the step's reply are carried out. */
function runsCalls({ style, interaction }: CallLlm): boolean {
  return style === "native" && interaction === "iteration";
}

/** The remark for model and reader about calls of a reply that are left out; null if none are. */
function excessCalls({ toolCalls }: Pick<LlmReply, "toolCalls">): string | null {
  const asked = toolCalls.length;
  if (asked <= MAX_CALLS_PER_ANSWER) return null;
  return `Too many tool calls in one answer: of ${asked} calls only the first ${MAX_CALLS_PER_ANSWER} are carried out, the other ${asked - MAX_CALLS_PER_ANSWER} are not. Ask for what is still needed in further answers, each with at most ${MAX_CALLS_PER_ANSWER} calls.`;
}

/**
 * The messages of a reply. Only the calls that are carried out are stored, and of those that are left out the first one,
 * with its result, which speaks for all of them: so every stored call gets a result, as providers require, and the
 * conversation stays small whatever the model asks for.
 */
export function replyMessages(step: CallLlm, reply: LlmReply): AppendedMessage[] {
  const { text, thinking, toolCalls, providerState } = reply;
  const excess = runsCalls(step) ? excessCalls(reply) : null;
  const stored = excess === null ? MAX_CALLS_PER_ANSWER : MAX_CALLS_PER_ANSWER + 1;
  const calls = toolCalls.slice(0, stored).map(({ callId, name, arguments: json }) => ({
    id: postgresSafeText(callId).text,
    name: postgresSafeText(name).text,
    arguments: postgresSafeText(json).text,
  }));
  const message: AppendedMessage = {
    role: "assistant",
    // Thinking that counts as the answer is stored as the answer.
    content: text === "" && calls.length === 0 ? thinking : text,
    tool_calls: calls.length === 0 ? null : calls,
    provider_state: providerState === null ? null : Buffer.from(providerState),
  };
  const refused = calls[MAX_CALLS_PER_ANSWER];
  if (excess === null || refused === undefined) return [message];
  return [message, { role: "tool", content: excess, tool_call_id: refused.id, tool_name: refused.name }];
}

/** The most text of a failed call that one row keeps, in code units. */
const MAX_LENGTH = 100_000;
const FAILED_NOTE = "[The answer broke off here.]";
const LOOP_NOTE = "[The rest was left out: it repeats itself.]";
const LONG_NOTE = "[The rest of this failed answer was left out.]";

/**
 * The content that a timeline row of a failed call keeps: the text that was streamed into it, up to what only repeats
 * itself and at most 100,000 code units, and a note where it ends. `isReact`: the row has one section of the reply.
 */
function partialContent(
  { kind, text }: { readonly kind: StreamKind; readonly text: string },
  reply: LlmReply,
  isReact: boolean,
): string {
  const kept = keptLength(kind, reply, isReact);
  const whole = kept === undefined ? text : text.slice(0, safeCut(text, kept));
  const cut = whole.slice(0, safeCut(whole, MAX_LENGTH));
  const note = cut.length < whole.length ? LONG_NOTE : kept === undefined ? FAILED_NOTE : LOOP_NOTE;
  return cut === "" ? note : `${cut}\n\n${note}`;
}

/** The length of a row before what repeats itself; undefined if nothing of it does. */
function keptLength(kind: StreamKind, { outcome, text }: LlmReply, isReact: boolean): number | undefined {
  if (outcome.kind !== "failed") return undefined;
  if (kind === "thinking") return outcome.keepThinking;
  if (outcome.keepText === undefined) return undefined;
  if (!isReact) return outcome.keepText;
  const sections = new ReactSections();
  const kept = text.slice(0, safeCut(text, outcome.keepText));
  const section = kind === "thought" ? "thought" : "final_answer";
  return [...sections.push(kept), ...sections.end()]
    .filter((part) => part.section === section)
    .reduce((length, { delta }) => length + postgresSafeText(delta).text.length, 0);
}

/** Different warnings of one execution that are shown; further ones are only in the records of their calls. */
const MAX_SHOWN = 20;
const KEY_LENGTH = 12;

/** The rows that a call's warnings add to the timeline. */
interface ShownWarnings {
  readonly rows: readonly Omit<WholeRow, "interactionId">[];
  /** Keys of all warnings of the execution that were shown, in their order. */
  readonly shown: readonly string[];
  /** True if the agent goes on without tools that it should have. */
  readonly isDegraded: boolean;
}

/** The timeline's rows for those warnings of a call that its execution has not shown yet: a gateway repeats them with each call. */
export function warningRows(
  { warnings }: Pick<LlmReply, "warnings">,
  before: readonly string[] = [],
): ShownWarnings {
  const shown = [...before];
  const rows: Omit<WholeRow, "interactionId">[] = [];
  let isDegraded = false;
  for (const { code, message } of warnings) {
    const key = createHash("sha256").update(`${code} ${message}`).digest("hex").slice(0, KEY_LENGTH);
    if (shown.includes(key) || shown.length >= MAX_SHOWN) continue;
    shown.push(key);
    isDegraded ||= code === TOOLS_LEFT_OUT;
    const content = `LLM warning: ${postgresSafeText(message).text} (code: ${postgresSafeText(code).text})`;
    rows.push({ type: "error", content, metadata: { warning: postgresSafeText(code).text } });
  }
  return { rows, shown, isDegraded };
}

/**
 * The metadata of the `final_analysis` entry for a forced answer: at its limit of iterations, or earlier because a
 * person asked for it or a budget is nearly used up, which is then named. `used` are the iterations before the answer.
 */
export function forcedConclusion(
  { max_iterations }: Pick<ResolvedAgent, "max_iterations">,
  used: number,
  budget?: BudgetCause,
): object {
  return {
    forced_conclusion: true,
    iterations_used: Math.min(used, max_iterations),
    max_iterations,
    ...(budget === undefined ? {} : { budget }),
  };
}
