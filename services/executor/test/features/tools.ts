import { uuidFrom } from "#shared/uuid-from.ts";
import { toolCallId, MAX_CALLS_PER_ANSWER } from "#shared/contracts/tool-call.ts";
import { ASKS_FOR_TOOL_SUMMARY } from "../../../../test/support/scripts.ts";
import { answerTurn, callStep, callTurn, type Strategy } from "../scripted-turns.ts";
import { insertInSmallWorld } from "../small-world.ts";
import type { Feature } from "./feature.ts";

const TURNS = 3;
const STRATEGIES: readonly Strategy[] = ["react", "native-thinking"];
const TOO_MANY_CALLS = MAX_CALLS_PER_ANSWER + 8;

const callsOf = (names: readonly string[], args: object = {}) =>
  names.map((name, n) => callStep("native-thinking", `k8s.${name}`, { n, ...args }));

/** A session with the tools of server `k8s` that plays this script. */
const withTools = (
  name: string,
  strategy: Strategy,
  toolCalls: number,
  ...script: readonly object[]
): Feature => ({
  name,
  toolCalls,
  start: async ({ runs }) => {
    await runs.play(...script);
    return runs.executor.insert({ strategy, servers: ["k8s"] });
  },
});

/** The id under which the result of a session's first call is kept. */
const handleOf = (sessionId: string) =>
  toolCallId(uuidFrom("execution:1", uuidFrom("stage:1", sessionId)), { iteration: 1, index: 0 });

/** A large result, of which a part is shown, and calls that read on in it, with each way to write their name. */
const keptResult = (strategy: Strategy): Feature => ({
  name: `a large result that is kept and read on (${strategy})`,
  toolCalls: 1,
  start: async ({ runs }) => {
    const session = await runs.executor.insert({ strategy, servers: ["k8s"] });
    const id = handleOf(session);
    await runs.play(
      callTurn(strategy, 1, "k8s.large", {}),
      callTurn(strategy, 2, "tarsy.result_read", { id, from_line: 600, lines: 5 }),
      callTurn(strategy, 3, "google:tarsy.result_search", { id, pattern: "^x{999}", regex: true }),
      callTurn(strategy, 4, "result_json", { id, path: "a" }),
      answerTurn(strategy),
    );
    return session;
  },
});

/** A tool that is called before its definition is loaded, and one that is searched for first. */
const searched = (strategy: Strategy): Feature => ({
  name: `tools that are searched for (${strategy})`,
  toolCalls: 2,
  start: async ({ runs }) => {
    await runs.play(
      callTurn(strategy, 1, "wide.get_item_7", {}),
      callTurn(strategy, 2, "wide.get_item_7", {}),
      callTurn(strategy, 3, "tool_search", { query: "item number 42" }),
      callTurn(strategy, 4, "wide.get_item_42", {}),
      answerTurn(strategy),
    );
    return runs.executor.insert({ strategy, servers: ["k8s", "wide"] });
  },
});

const summarized = (strategy: Strategy): Feature => ({
  name: `a large result that is summarized (${strategy})`,
  toolCalls: 1,
  start: async ({ runs }) => {
    await runs.play(
      {
        when: ASKS_FOR_TOOL_SUMMARY,
        steps: [{ thinking: "hm" }, { text: "  all lines are x  ", chunk_size: 5 }],
      },
      callTurn(strategy, 1, "k8s.large", {}),
      answerTurn(strategy),
    );
    const summaries = { threshold_tokens: 5_000, max_tokens: 100 };
    return runs.executor.insert({ strategy, servers: ["k8s"], summaries });
  },
});

const failure = {
  steps: [{ error: { code: "provider_error", message: "provider_error!", retryable: true } }],
};

/** The first provider calls a tool and then fails, the second fails at once, the third goes on from the tool's result. */
const fallback: Feature = {
  name: "two providers that fail, one after the other",
  toolCalls: 1,
  start: async ({ runs }) => {
    const looks = [...callsOf(["pods"]), { provider_state: "sealed by the first" }];
    await runs.play({ when: { call: 1 }, steps: [{ text: "look" }, ...looks] }, failure);
    await runs.playOn("second", failure);
    await runs.playOn("third", answerTurn("native-thinking"));
    const fallbacks = ["second", "third"];
    return runs.executor.insert({ strategy: "native-thinking", servers: ["k8s"], fallbacks });
  },
};

/** A sequence of answers, a large one that is read on, and a miss, of a world that needs no tool-runner. */
const ofWorld: Feature = {
  name: "a world that answers",
  toolCalls: 0,
  start: async ({ runs }) => {
    const strategy = "native-thinking";
    const session = await insertInSmallWorld(runs.executor, strategy);
    const calls = [
      ...Array.from({ length: TURNS }, (_, n) => callTurn(strategy, n + 1, "k8s.pods", {})),
      { when: { call: TURNS + 1 }, steps: callsOf(["large", "logs"], { namespace: "none" }) },
    ];
    await runs.play(...calls, answerTurn(strategy));
    return session;
  },
};

/** Agents that call tools. */
export const TOOL_FEATURES: readonly Feature[] = [
  withTools(
    "calls of tools (react)",
    "react",
    TURNS,
    ...Array.from({ length: TURNS }, (_, n) => callTurn("react", n + 1, "k8s.pods", { n: n + 1 })),
    answerTurn("react"),
  ),
  withTools(
    "two calls in an answer, one of which writes (native-thinking)",
    "native-thinking",
    2 * TURNS,
    ...Array.from({ length: TURNS }, (_, index) => ({
      when: { call: index + 1 },
      steps: [{ thinking: `step ${index + 1}` }, ...callsOf(["pods", "restart"], { index })],
    })),
    answerTurn("native-thinking"),
  ),
  withTools(
    "too many calls in an answer (native-thinking)",
    "native-thinking",
    MAX_CALLS_PER_ANSWER,
    { when: { call: 1 }, steps: callsOf(Array.from({ length: TOO_MANY_CALLS }, () => "pods")) },
    answerTurn("native-thinking"),
  ),
  ...STRATEGIES.map((strategy) => keptResult(strategy)),
  ...STRATEGIES.map((strategy) => searched(strategy)),
  ...STRATEGIES.map((strategy) => summarized(strategy)),
  fallback,
  ofWorld,
];
