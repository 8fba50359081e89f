import type { ResolvedAgent, ResolvedChain } from "#shared/contracts/resolved-chain.ts";

/** The known class of a tool's effects: harmless, unknown, or changing things. */
export const GATE_CLASSES = ["allow", "unknown", "deny"] as const;
export type GateClass = (typeof GATE_CLASSES)[number];

/** The decision on a call before it is made. */
type GateDecision = "run" | "ask" | "deny";

/**
 * Decides about a call of a listed tool. Tools that change things are denied to every agent but those of type `action`; a
 * tool with an unknown effect is allowed, unless the policy is `strict`. A person is asked about tools of the
 * operator's `approve` list. The runner's claim decides the same again, in its statement, with its own view of the tool.
 */
export function toolGate(
  tool: { readonly gate?: GateClass; readonly needs_approval?: boolean },
  agent: Pick<ResolvedAgent, "type">,
  chain: Pick<ResolvedChain, "tool_policy">,
): GateDecision {
  const { gate = "allow", needs_approval = false } = tool;
  if (agent.type !== "action") {
    if (gate === "deny") return "deny";
    if (gate === "unknown" && chain.tool_policy === "strict") return "deny";
  }
  return needs_approval ? "ask" : "run";
}
