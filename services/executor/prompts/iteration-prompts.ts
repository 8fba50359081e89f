import type { IterationStrategy } from "#shared/contracts/resolved-chain.ts";

/**
 * The user message that asks an agent to conclude after `iterations` iterations, its limit, with what it has. A ReAct
 * agent is told its form; every other strategy answers in plain text.
 */
export function forcedConclusionPrompt(strategy: IterationStrategy, iterations: number): string {
  return `You have reached the limit of ${iterations} ${iterations === 1 ? "iteration" : "iterations"}. No further tool calls are possible.

Conclude now from the data you have gathered:
- State what you found, and how sure you are of it.
- State what is missing, and which question it leaves open.
- Recommend practical next steps to a human operator, including what to look up next.

An incomplete answer that says so is worth more than a complete one that guesses.

${strategy === "react" ? REACT : PLAIN}`;
}

const REACT = `Answer in this form, without an action:

Thought: what the data gathered amounts to
Final Answer: your complete conclusion`;

const PLAIN = "Answer with a clear, structured conclusion in Markdown.";

/** The user message after a failed LLM call, before the model is called again. */
export function retryPrompt(error: string): string {
  return `Error from the previous attempt: ${error}. Please try again.`;
}
