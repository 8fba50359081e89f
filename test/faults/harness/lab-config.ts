import type { ConfigFiles } from "../../support/config-directory.ts";
import type { ModelAnswer, ModelCall } from "./model-server.ts";

const STAGES = [1, 2, 3, 4, 5, 6];
const PARALLEL_AGENTS = [11, 12];
/** The sub-agents, of which several run concurrently, as those do. */
const HELPER = "agent-13";
const NATIVE = "native-thinking";
/** The LLM calls that a session of `limited-chain` may make. */
export const LIMITED_CALLS = 5;

interface LabConfig {
  readonly model: string;
  readonly slots: number;
  readonly maxRunning: number;
  readonly toolDelay: string;
  /** Whether the provider `spare` takes over from `model`. */
  readonly hasSpare: boolean;
  /** Pieces of work on ended sessions that run concurrently; undefined leaves the default. */
  readonly followUps: number | undefined;
  /** The address of an MCP server, for the agent of `listed-chain`; undefined for none. */
  readonly toolServer: string | undefined;
}

/** The model of the provider `spare`, on the same server. */
export const SPARE_MODEL = "gemini-2.5-flash";

/** Chains with native tool calls, the test's model, and stub tools that log every call to `calls.jsonl`. */
export function labConfig({
  model,
  slots,
  maxRunning,
  toolDelay,
  hasSpare,
  followUps,
  toolServer,
}: LabConfig): ConfigFiles & { stubTools: object } {
  const tool = (read_only: boolean) => ({
    description: "Logs its call",
    read_only,
    results: [{ delay: toolDelay, text: "done" }],
  });
  const provider = (name: string) => ({
    type: "google",
    model: name,
    api_key_env: "FAULT_MODEL_KEY",
    base_url: model,
    max_tool_result_tokens: 10_000,
  });
  return {
    tarsy: {
      queue: {
        worker_count: slots,
        max_concurrent_sessions: maxRunning,
        ...(followUps === undefined ? {} : { max_concurrent_followups: followUps }),
      },
      defaults: {
        llm_provider: "model",
        alert_type: "test",
        ...(hasSpare ? { fallback_providers: [{ provider: "spare" }] } : {}),
      },
      mcp_servers: {
        lab: { transport: { type: "stdio", command: "true" } },
        ...(toolServer === undefined ? {} : { real: { transport: { type: "http", url: toolServer } } }),
      },
      agents: {
        Investigator: { mcp_servers: ["lab"] },
        ...Object.fromEntries(
          PARALLEL_AGENTS.map((n) => [
            `Parallel${n}`,
            { mcp_servers: ["lab"], custom_instructions: `You are agent-${n}.` },
          ]),
        ),
        Answerer: { custom_instructions: "You are agent-21." },
        Lead: { mcp_servers: ["lab"], custom_instructions: "You are agent-31." },
        Helper: {
          mcp_servers: ["lab"],
          description: "Does one job",
          custom_instructions: `You are ${HELPER}.`,
        },
        ...(toolServer === undefined ? {} : { Lister: { mcp_servers: ["real"] } }),
        Judge: { type: "scoring", custom_instructions: "You are agent-41." },
        ...Object.fromEntries(
          STAGES.map((n) => [`Thinker${n}`, { mcp_servers: [], custom_instructions: `You are agent-${n}.` }]),
        ),
      },
      agent_chains: {
        "test-chain": chain("test"),
        // Two concurrent agents and a synthesis of their results.
        "parallel-chain": {
          alert_types: ["parallel"],
          stages: [
            {
              name: "together",
              agents: PARALLEL_AGENTS.map((n) => ({
                name: `Parallel${n}`,
                iteration_strategy: NATIVE,
              })),
            },
          ],
        },
        // Six stages without tools.
        "thinking-chain": {
          alert_types: ["thinking"],
          stages: STAGES.map((n) => ({ name: `stage ${n}`, agents: [{ name: `Thinker${n}` }] })),
        },
        // Questions about it are answered with tools.
        "asked-chain": { ...chain("asked"), chat: { agent: "Answerer", iteration_strategy: NATIVE } },
        "scored-chain": { ...chain("scored"), scoring: { enabled: true, agent: "Judge" } },
        // Its agents conclude after three calls, and two more may be lost.
        "limited-chain": {
          ...chain("limited"),
          budgets: { session: { calls: LIMITED_CALLS, soft_ratio: 0.6 } },
        },
        // An agent that starts sub-agents.
        "leading-chain": { ...chain("leading", "Lead"), sub_agents: ["Helper"] },
        // Its tools are those of a real server.
        ...(toolServer === undefined ? {} : { "listed-chain": chain("listed", "Lister") }),
        // Replaces the built-in chain, which needs other servers and providers.
        "kubernetes-agent-chain": chain("kubernetes"),
      },
    },
    providers: { llm_providers: { model: provider("gemini-2.5-pro"), spare: provider(SPARE_MODEL) } },
    stubTools: { call_log: "calls.jsonl", servers: { lab: { act: tool(false), look: tool(true) } } },
  };
}

function chain(alertType: string, name = "Investigator"): object {
  const agent = { name, iteration_strategy: NATIVE };
  return { alert_types: [alertType], stages: [{ name: "analysis", agents: [agent] }] };
}

const PIECES = 4;

/**
 * The answer that the alert's text asks for. `turns=N` (default 0): N answers with a tool call, alternating between `act`
 * and the read-only `look`. `pace=MS`: the duration of each answer. `HANG`: the first answer never ends.
 */
export function answerFromAlert(call: ModelCall, alert: string): ModelAnswer {
  const turns = call.hasTools ? numberIn(alert, /turns=(\d+)/u, 0) : 0;
  const pauseMs = numberIn(alert, /pace=(\d+)/u, 0) / PIECES;
  const timing = { thinking: `answer ${call.number} of ${call.caseId}`, pieces: PIECES, pauseMs };
  if (/\bHANG\b/u.test(alert)) return { ...timing, text: "this goes on", hangs: true };
  if (call.number > turns) return { ...timing, text: `**${call.caseId}** is understood.` };
  const name = call.number % 2 === 1 ? "act" : "look";
  return { ...timing, tool: { name, args: { case: call.caseId, agent: call.agent, n: call.number } } };
}

function numberIn(text: string, pattern: RegExp, fallback: number): number {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? fallback : Number(found);
}
