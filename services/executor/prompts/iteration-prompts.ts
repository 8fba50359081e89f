import { isActionAgent, type ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import { CLAIM_LINE } from "./action-rules.ts";

/**
 * The user message that asks an agent for its answer when it has reached the limit of `iterations` iterations. For
 * ReAct it prescribes the format; all other strategies answer in plain text.
 */
export function forcedConclusionPrompt(
  agent: Pick<ResolvedAgent, "type" | "iteration_strategy">,
  iterations: number,
): string {
  const limit = `${iterations} ${iterations === 1 ? "iteration" : "iterations"}`;
  return conclusionPrompt(
    agent,
    `You have reached the limit of ${limit}. No further tool calls are possible.`,
  );
}

/** The user message that asks an agent for its answer, for the reason in `opening`. */
export function conclusionPrompt(
  agent: Pick<ResolvedAgent, "type" | "iteration_strategy">,
  opening: string,
): string {
  return `${opening}

Conclude now from the data you have gathered:
- State what you found, and how sure you are of it.
- State what is missing, and which question it leaves open.
- Recommend practical next steps to a human operator, including what to look up next.

An incomplete answer that says so is worth more than a complete one that guesses.

${agent.iteration_strategy === "react" ? REACT : PLAIN}${isActionAgent(agent) ? `\n\n${CLAIM_LINE}` : ""}`;
}

const REACT = `Answer in this form, without an action:

Thought: what the data gathered amounts to
Final Answer: your complete conclusion`;

const PLAIN = "Answer with a clear, structured conclusion in Markdown.";

/** A failed LLM call, as its error says. */
export interface FailedCall {
  readonly code: string;
  readonly message: string;
}

/** The user message between a failed LLM call and the next one. */
export function retryPrompt({ code, message }: FailedCall): string {
  const how =
    code === "output_loop"
      ? "Answer again from the beginning, concisely, and write nothing twice."
      : "Please try again.";
  return `Error from the previous attempt: ${message}. ${how}`;
}
