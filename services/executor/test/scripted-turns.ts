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

/** A conclusion with these claims, each a result and its words. */
export function conclusionWith(
  claims: readonly (readonly [source: string, quote: string])[],
  status: "confirmed" | "likely" | "inconclusive" = "confirmed",
): object {
  return {
    status,
    summary: "it was the memory",
    confidence: 80,
    causes: [{ entity: "pod/checkout", kind: "resource_exhaustion", code: "", statement: "the memory" }],
    claims: claims.map(([source, quote], index) => ({
      id: `c${index + 1}`,
      cause: 1,
      text: `claim ${index + 1}`,
      source,
      lines: "",
      quote,
    })),
    ruled_out: [],
    gaps: [],
    next_checks: [],
  };
}

/** A script's answer to every other LLM call: the agent's final answer. */
export function answerTurn(strategy: Strategy, text = "it was the memory"): Turn {
  return { steps: [{ text: strategy === "react" ? `Thought: enough\nFinal Answer: ${text}` : text }] };
}
