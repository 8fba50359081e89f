import type { ConfigFiles } from "../../../test/support/config-directory.ts";
import type { ModelScript } from "../support/start-bench-system.ts";
import { SUMMARY_CALL } from "../../../test/support/scripts.ts";

/** LLM answers with tool calls in the shortest session, and its tool calls. */
export const TURNS = 5;

/** Sessions that differ only in their numbers of steps. */
export const SHAPES = ["single", "double-tools", "double-turns"] as const;
export type ShapeName = (typeof SHAPES)[number];

/** LLM answers with tool calls, and tool calls in each. */
export const SHAPE_COUNTS: Record<ShapeName, { readonly turns: number; readonly tools: number }> = {
  single: { turns: TURNS, tools: 1 },
  "double-tools": { turns: TURNS, tools: 2 },
  "double-turns": { turns: 2 * TURNS, tools: 1 },
};

/** The alert type of the chain whose sessions have two budgets: their own, and that of the day. */
export const BUDGETED_TYPE = "budgeted";

/** A model and tools without delay; the text of the alert selects the shape. */
export function shapeConfig(): ConfigFiles {
  const budgets = { session: { calls: 1_000 }, day: { calls: 1_000_000 } };
  const turns = SHAPES.flatMap((shape) => toolTurns(`disk of ${shape} is`, SHAPE_COUNTS[shape]));
  return toolConfig(turns, { "budgeted-chain": { ...chainOf(BUDGETED_TYPE), budgets } });
}

/**
 * An agent with a tool that answers at once, and a model that answers with these turns and then with text. The tool is that of the MCP
 * server at `url`, or by default a stub.
 */
export function toolConfig(
  turns: ModelScript["calls"],
  moreChains: object = {},
  url?: string,
): ConfigFiles & { readonly script: ModelScript } {
  const stub = { servers: { lab: { look: { read_only: true, results: [{ text: "OOMKilled" }] } } } };
  return {
    tarsy: {
      mcp_servers: {
        lab: { transport: url === undefined ? { type: "stdio", command: "true" } : { type: "http", url } },
      },
      agents: { Investigator: { mcp_servers: ["lab"] } },
      agent_chains: {
        "test-chain": chainOf("test"),
        "kubernetes-agent-chain": chainOf("kubernetes"),
        ...moreChains,
      },
    },
    ...(url === undefined ? { stubTools: stub } : {}),
    script: { calls: [SUMMARY_CALL, ...turns, { steps: [{ text: "It was the memory." }] }] },
  };
}

function chainOf(type: string) {
  const agent = { name: "Investigator", iteration_strategy: "native-thinking" };
  return { alert_types: [type], stages: [{ name: "analysis", agents: [agent] }] };
}

/** So many answers with so many tool calls each, to alerts that contain a text. */
export function toolTurns(
  contains: string,
  { turns, tools }: { readonly turns: number; readonly tools: number },
): ModelScript["calls"] {
  return Array.from({ length: turns }, (_, turn) => ({
    when: { contains, call: turn + 1 },
    steps: [
      { thinking: "Which pod restarts, and why?" },
      ...Array.from({ length: tools }, (__, n) => ({
        tool_call: { name: "lab.look", arguments: { turn, n } },
      })),
    ],
  }));
}
