/** The strategies that call tools. */
export type Strategy = "react" | "native-thinking";

interface Turn {
  readonly when?: { readonly call: number };
  readonly steps: readonly object[];
}

/** A script's step in which the model calls a tool, in the form of the agent's strategy. */
export function callStep(strategy: Strategy, name: string, args: object): object {
  return strategy === "react"
    ? { text: `Thought: look\nAction: ${name}\nAction Input: ${JSON.stringify(args)}` }
    : { tool_call: { name, arguments: args } };
}

/** A script's answer to the agent's LLM call of this number, from 1: one tool call. */
export function callTurn(strategy: Strategy, number: number, name: string, args: object): Turn {
  return { when: { call: number }, steps: [callStep(strategy, name, args)] };
}

/** A script's answer to every other LLM call: the agent's final answer. */
export function answerTurn(strategy: Strategy, text = "it was the memory"): Turn {
  return { steps: [{ text: strategy === "react" ? `Thought: enough\nFinal Answer: ${text}` : text }] };
}
