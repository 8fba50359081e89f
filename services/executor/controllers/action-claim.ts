import { isActionAgent } from "#shared/contracts/resolved-chain.ts";
import type { AgentState } from "../core/agent-state.ts";
import { parseReact } from "../react-parser/parse-react.ts";

/** An answer without its last line, and whether that line says that actions were executed; null if it says neither. */
interface SplitAnswer {
  readonly answer: string;
  readonly claim: boolean | null;
}

/** A bare word, perhaps in bold. */
const CLAIM = /^(\*\*|__|)(yes|no)\1$/iu;

/**
 * Takes the line YES or NO off the end of an action agent's answer. An answer that has no such line stays as it is, and so
 * does one of nothing else, because there would be no answer left.
 */
export function splitClaim(text: string): SplitAnswer {
  const trimmed = text.trimEnd();
  const start = trimmed.lastIndexOf("\n") + 1;
  const word = CLAIM.exec(trimmed.slice(start).trim())?.[2];
  if (word === undefined) return { answer: text, claim: null };
  const answer = trimmed.slice(0, start).trimEnd();
  return { answer: answer === "" ? text : answer, claim: word.toLowerCase() === "yes" };
}

/** An agent's answer as it is stored: that of an action agent without the line for programs. */
export function storedAnswer(agent: AgentState["agent"], answer: string): string {
  return isActionAgent(agent) ? splitClaim(answer).answer : answer;
}

/** Whether the last reply of an action agent says that actions were executed; null if it does not say, and for other agents. */
export function claimOf({ agent, messages, iteration }: AgentState): boolean | null {
  const last = messages.at(-1);
  if (!isActionAgent(agent) || last?.role !== "assistant") return null;
  if (agent.iteration_strategy !== "react") return splitClaim(last.content).claim;
  return splitClaim(reactAnswer(last.content, iteration.phase === "concluding") ?? "").claim;
}

/** The answer in a ReAct reply, if it is one; the reply to a forced conclusion is the answer in any form. */
export function reactAnswer(text: string, isConclusion: boolean): string | null {
  const { thought, isFinalAnswer, finalAnswer } = parseReact(text);
  if (isConclusion) return finalAnswer || thought || text;
  return isFinalAnswer ? finalAnswer : null;
}

/** The last line while it may still become the claim: a bare word, perhaps in bold, with only white space around it. */
const MAY_BE_CLAIM = /^\s*(?:\*{1,2}|_{1,2})?(?:y|ye|yes|n|no)?(?:\*{1,2}|_{1,2})?\s*$/iu;

/**
 * Keeps the last line of an action agent's answer out of the live text: holds the end of the text back while it may be the
 * line YES or NO. The complete text decides what is stored.
 */
export class HeldClaim {
  #held = "";

  /** Takes the next part of the text; returns what may be shown. */
  push(delta: string): string {
    const text = this.#held + delta;
    const start = claimStart(text);
    this.#held = text.slice(start);
    return text.slice(0, start);
  }
}

/** Where the end of the text begins that may be the claim with the white space before it; the text's length for none. */
function claimStart(text: string): number {
  const trimmed = text.trimEnd();
  const lastLine = trimmed.lastIndexOf("\n") + 1;
  // A line without an end has not begun as one of its own: the first line is no claim.
  const isLine = lastLine > 0 || text.startsWith("\n");
  const from = isLine && MAY_BE_CLAIM.test(trimmed.slice(lastLine)) ? lastLine : trimmed.length;
  return text.slice(0, from).trimEnd().length;
}
