import { expect } from "chai";
import { INITIAL_ITERATION_STATE, type IterationState } from "#shared/contracts/iteration-state.ts";
import { ITERATION_STRATEGIES } from "#shared/contracts/resolved-chain.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { nextAgentStep } from "../controllers/next-agent-step.ts";
import type { AgentState, AgentStep } from "../core/agent-state.ts";
import { FEATURES } from "../features/features.ts";
import type { SubAgentState } from "../state/session-state.ts";
import { CHAT, INPUT, PARALLEL } from "./prompt-fixtures.ts";
import { resolvedAgent, scriptedProvider } from "./resolved-chain.ts";

type Part = Partial<Omit<AgentState, "iteration">> & { readonly iteration?: Partial<IterationState> };

const AGENT = {
  ...resolvedAgent("Agent", "react"),
  fallback_providers: [scriptedProvider("second", "second.yaml")],
};
const NO_USAGE = { provider_state: null, tool_calls: null, tool_call_id: null, tool_name: null };
const conversation = (...answers: readonly string[]) =>
  ["system", "user", ...answers].map((content, index) => ({
    ...NO_USAGE,
    message_id: `message-${index}`,
    sequence_number: index + 1,
    role: index === 0 ? ("system" as const) : index === 1 ? ("user" as const) : ("assistant" as const),
    content,
  }));
const failed = { last_failed: true, last_error: "no", last_error_retryable: true };

/** The strategy decides another step in each. */
const SITUATIONS: readonly Part[] = [
  { tools: null },
  { messages: [] },
  {},
  { messages: conversation("Thought: look\nAction: metrics.query\nAction Input: {}") },
  { messages: conversation("no action") },
  { messages: conversation("Thought: I know\nFinal Answer: it is the disk") },
  { iteration: { iteration: AGENT.max_iterations } },
  { iteration: { phase: "concluding" } },
  { messages: conversation("It is the disk."), iteration: { phase: "concluding" } },
  { iteration: { ...failed, last_error_code: "timeout", consecutive_timeouts: 2 } },
  { iteration: { ...failed, last_error_code: "overloaded", provider_failures: 2 } },
];
const CAUSE = {
  scope: "day",
  key: "",
  period: "day",
  dimension: "calls",
  limit: 3,
  used: 3,
  reserved: 0,
} as const;
const RESULT = {
  message: 3,
  index: 0,
  name: "k8s.pods",
  handle: "handle",
  bytes: 9,
  lines: 1,
  is_error: false,
  as_observation: true,
  failed_calls: 0,
};
const BUDGETS: readonly Part[] = [{}, { iteration: { budget_exceeded: CAUSE } }];
const SUMMARIES: readonly Part[] = [{}, { iteration: { pending_summaries: [RESULT] } }];
const child = (
  status: "active" | "completed",
  more: Partial<Pick<SubAgentState, "is_cancelled" | "is_delivered">> = {},
) => ({
  execution_id: "child",
  stage_id: "stage",
  session_id: "session",
  parent_execution_id: "parent",
  agent_name: "Checker",
  agent_index: 1,
  error_message: null,
  error_code: null,
  task: "look",
  actions_claimed: null,
  deadline_at: null,
  is_cancelled: false,
  is_delivered: false,
  status,
  ...more,
});
const SUB_AGENTS: readonly Part[] = [
  {},
  { subAgents: [child("active")] },
  { subAgents: [child("active")], isBudgetOver: true },
  { subAgents: [child("active", { is_cancelled: true })] },
  { subAgents: [child("completed")] },
  { subAgents: [child("completed", { is_delivered: true })] },
  { subAgents: [child("completed"), child("active")] },
];
const evidence = (last_message: number) => ({
  count: 1,
  through: 2,
  newest: [],
  characters_read: 0,
  last_message,
});
const ALERTS: readonly Part[] = [{}, { evidence: evidence(0) }, { evidence: evidence(9) }];
const message = (mode: "note" | "conclude" | "skip_tool") => ({
  message_id: mode,
  mode,
  content: "text",
  author: "ann",
  is_from_alert: false,
  calls: [],
});
const PEOPLE: readonly Part[] = [
  {},
  { steering: [message("note")] },
  { steering: [message("conclude")] },
  { steering: [message("skip_tool")] },
];

const NOTHING = { skills: [], memories: [], chat: null, judged: null, steering: [], evidence: null };
const stateOf = (...parts: readonly Part[]): AgentState => {
  const iteration = { ...INITIAL_ITERATION_STATE };
  const state: AgentState = { ...INPUT, ...NOTHING, agent: AGENT, messages: conversation(), iteration };
  for (const { iteration: more, ...part } of parts) {
    Object.assign(iteration, more);
    Object.assign(state, part);
  }
  return state;
};
/** Each combination of what may be due at once. */
const STATES: readonly AgentState[] = [BUDGETS, SUMMARIES, SUB_AGENTS, ALERTS, PEOPLE]
  .reduce(
    (found, more) => found.flatMap((parts) => more.map((part) => [...parts, part])),
    SITUATIONS.map((part) => [part]),
  )
  .map((parts) => stateOf(...parts));

const decided = (state: AgentState) => nextAgentStep(state, FEATURES);
/** An agent that waits for its sub-agents still hears what people say. */
const OF_THE_END: readonly AgentStep["kind"][] = [
  "finish",
  "cancel-sub-agents",
  "wait-for-sub-agents",
  "deliver-steering",
];

describe("the order in which features decide", () => {
  /** The steps of this kind, with the state that each was decided from. */
  const all = (kind: AgentStep["kind"]) =>
    STATES.map((state) => ({ state, step: decided(state) })).filter(({ step }) => step.kind === kind);

  it("ends an agent without a budget, whatever else is due", () => {
    for (const state of STATES.filter(({ iteration }) => iteration.budget_exceeded !== undefined)) {
      const step = decided(state);
      expect(step.kind).to.be.oneOf(OF_THE_END);
      if (step.kind === "finish") expect(step.errorCode).to.equal("budget_exceeded");
    }
  });

  it("ends an agent without a budget before its first message, whatever its strategy", () => {
    const { context: _context, ...investigation } = CHAT;
    const judged = { ...investigation, offers: [] };
    for (const iteration_strategy of ITERATION_STRATEGIES) {
      const agent = { ...AGENT, iteration_strategy };
      const opening = { agent, messages: [], parallel: PARALLEL, judged };
      expect(decided(stateOf(opening)).kind, iteration_strategy).to.equal("open-conversation");
      const step = decided(stateOf(opening, { iteration: { budget_exceeded: CAUSE } }));
      expect(step, iteration_strategy).to.deep.include({ kind: "finish", status: "failed", answer: null });
    }
  });

  it("summarizes results before the conversation goes on", () => {
    const pending = STATES.filter(({ iteration }) => iteration.pending_summaries !== undefined);
    for (const state of pending.filter(({ iteration }) => iteration.budget_exceeded === undefined)) {
      const { kind } = nextAgentStep(state, { ...FEATURES, list: [] });
      const isLater = kind === "run-tool" || kind === "finish";
      expect(decided(state).kind === "summarize-result", kind).to.equal(!isLater);
    }
  });

  it("calls the model only once all that is to be delivered is delivered", () => {
    for (const { state, step } of all("call-llm")) {
      const { subAgents = [], evidence: unread, iteration, steering } = state;
      const open = subAgents.filter(({ status }) => !isTerminal(status));
      expect(subAgents.filter((one) => isTerminal(one.status) && !one.is_delivered)).to.deep.equal([]);
      expect(steering).to.deep.equal([]);
      if (iteration.phase === "concluding") continue;
      expect(unread?.last_message).not.to.equal(0);
      expect(step).to.deep.include(open.length === 0 ? {} : { isInterim: true });
    }
  });

  it("ends an agent only once its sub-agents have ended and each note is read", () => {
    for (const { state, step } of all("finish")) {
      const { subAgents = [], steering } = state;
      expect(subAgents.filter(({ status }) => !isTerminal(status))).to.deep.equal([]);
      if (step.kind === "finish" && step.status === "completed") {
        expect(steering.filter(({ mode }) => mode === "note")).to.deep.equal([]);
      }
    }
  });

  it("gives results of sub-agents first, then alerts, then what people say", () => {
    const due: readonly Part[] = [
      { subAgents: [child("completed")] },
      { evidence: evidence(0) },
      { steering: [message("note")] },
    ];
    const kinds = due.map((_, index) => decided(stateOf(...due.slice(index))).kind);
    expect(kinds).to.deep.equal(["deliver-results", "deliver-evidence", "deliver-steering"]);
  });
});
