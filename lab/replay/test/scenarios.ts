import { CancelledError } from "#shared/errors.ts";
import { ASKS_FOR_TOOL_SUMMARY } from "../../../test/support/scripts.ts";
import { ask } from "../../../services/executor/test/follow-up-fixture.ts";
import {
  answerTurn,
  callStep,
  callTurn,
  type Strategy,
} from "../../../services/executor/test/scripted-turns.ts";
import { steer } from "../../../services/executor/test/steer.ts";
import { dispatches, ofChild } from "../../../services/executor/test/sub-agent-fixture.ts";
import type { RecordingFixture } from "./recording-fixture.ts";

/** A session that is recorded; `variant` varies it. */
export interface Scenario {
  readonly name: string;
  /** What the replay is to say of what it leaves out. */
  readonly notReplayed?: readonly string[];
  /** Returns the id of a session that has ended. */
  readonly record: (recording: RecordingFixture, variant: number) => Promise<string>;
}

const AGENTS = ["Ann", "Ben", "Cem"];
const STRATEGIES = ["react", "native-thinking"] as const satisfies readonly Strategy[];
const strategyOf = (variant: number): Strategy => STRATEGIES[variant % 2] ?? "react";

const LOOKS = (strategy: Strategy) => [
  callTurn(strategy, 1, "k8s.pods", { n: 1 }),
  callTurn(strategy, 2, "k8s.broken", { n: 2 }),
  answerTurn(strategy),
];
const delayed = (name: string, ms: number, turn: { readonly steps: readonly object[] }) => ({
  ...turn,
  when: { contains: `Your name is ${name}` },
  steps: [{ delay: `${ms}ms` }, ...turn.steps],
});
const fails = (code: string, rest: object = {}) => ({
  error: { code, message: `${code}!`, retryable: false, ...rest },
});

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "an agent that calls tools",
    record: async (recording, variant) => {
      const strategy = strategyOf(variant);
      await recording.runs.play(
        callTurn(strategy, 1, "k8s.large", { n: 3 }),
        callTurn(strategy, 2, "k8s.unknown", { n: 3 }),
        callTurn(strategy, 3, "k8s.throws", { n: variant }),
        callTurn(strategy, 4, "k8s.restart", {}),
        answerTurn(strategy),
      );
      return recording.session({ strategy, servers: ["k8s"], alert: `disk ${variant} is full` });
    },
  },
  {
    name: "calls side by side and a limit of iterations",
    record: async (recording) => {
      const steps = ["k8s.pods", "k8s.broken", "k8s.pods"].map((name, n) => ({
        tool_call: { name, arguments: { n } },
      }));
      await recording.runs.play(
        { when: { call: 1 }, steps },
        { when: { call: 2 }, steps },
        answerTurn("native-thinking"),
      );
      return recording.session({ strategy: "native-thinking", servers: ["k8s"], maxIterations: 2 });
    },
  },
  {
    name: "stages of parallel agents with syntheses",
    record: async (recording, variant) => {
      const strategy = strategyOf(variant);
      await recording.runs.play(
        ...AGENTS.map((name, n) =>
          delayed(name, ((n + variant) % 3) * 30, answerTurn(strategy, `found by ${name}`)),
        ),
        answerTurn(strategy),
      );
      return recording.session({ strategy, stages: [AGENTS, ["One"], AGENTS], maxParallel: 2 });
    },
  },
  {
    name: "parallel agents with tools",
    record: async (recording, variant) => {
      const strategy = strategyOf(variant);
      await recording.runs.play(...LOOKS(strategy));
      return recording.session({ strategy, stages: [AGENTS], servers: ["k8s"] });
    },
  },
  {
    name: "an agent with sub-agents",
    record: async (recording, variant) => {
      const strategy = "native-thinking";
      await recording.runs.play(
        ...["a", "b", "c"].map((task, n) =>
          ofChild(
            { steps: [{ delay: `${((2 - n + variant) % 3) * 500}ms` }, { text: `result ${task}` }] },
            `job-${task}`,
          ),
        ),
        dispatches(strategy, "job-a", "job-b", "job-c"),
        {
          when: { contains: ["result a", "result b", "result c"] },
          steps: answerTurn(strategy, "all heard").steps,
        },
        { when: { call: 2 }, steps: [callStep(strategy, "list_agents", {})] },
        answerTurn(strategy, "I wait"),
      );
      const id = await recording.sub.insert({ strategy, maxParallel: 4 - (variant % 4) });
      await recording.runToEnd(id);
      return id;
    },
  },
  {
    name: "a sub-agent that is stopped, and one that its parent does not wait for",
    record: async (recording, variant) => {
      const strategy = "native-thinking";
      await recording.runs.play(
        ofChild({ steps: [{ text: "so far" }, { hang: true }] }, "job-a"),
        ofChild(answerTurn(strategy, "done b"), "job-b"),
        dispatches(strategy, "job-a", "job-b"),
        variant % 2 === 0
          ? { steps: [fails("content_blocked")] }
          : { when: { contains: "done b" }, steps: [fails("content_blocked")] },
        answerTurn(strategy, "I wait"),
      );
      const id = await recording.sub.insert({ strategy });
      await recording.runToEnd(id);
      return id;
    },
  },
  {
    name: "summaries of large results",
    record: async (recording, variant) => {
      const strategy = strategyOf(variant);
      await recording.runs.play(
        {
          when: ASKS_FOR_TOOL_SUMMARY,
          steps: [variant % 3 === 2 ? fails("content_blocked") : { text: "short" }],
        },
        callTurn(strategy, 1, "k8s.large", {}),
        answerTurn(strategy),
      );
      return recording.session({
        strategy,
        servers: ["k8s"],
        summaries: { threshold_tokens: 5_000, max_tokens: 100 },
      });
    },
  },
  {
    name: "failures of the model",
    record: async (recording, variant) => {
      const strategy = strategyOf(variant);
      const failure = fails(variant % 2 === 0 ? "provider_error" : "invalid_request", {
        retryable: variant % 3 !== 0,
      });
      await recording.runs.play(
        { when: { contains: failure.error.message }, ...answerTurn(strategy) },
        { steps: [{ text: "I" }, failure] },
      );
      return recording.session({ strategy, stages: [["One"], ["Two"]] });
    },
  },
  {
    name: "another provider that takes over",
    record: async (recording) => {
      await recording.runs.play({ steps: [fails("credentials")] });
      await recording.runs.playOn("second", { steps: [fails("max_retries", { last_code: "overloaded" })] });
      await recording.runs.playOn("third", { steps: [{ text: "found by the third" }] });
      return recording.session({ strategy: "native-thinking", fallbacks: ["second", "third"] });
    },
  },
  {
    name: "a chat and a score",
    record: async (recording, variant) => {
      const strategy = strategyOf(variant);
      await recording.runs.play(
        {
          when: { contains: "Judge of Investigations", call: 1 },
          steps: [{ text: "The cause is named.\n\n80" }],
        },
        { when: { contains: "Judge of Investigations" }, steps: [{ text: "## Missing tools\nNone." }] },
        {
          when: { contains: "CURRENT TASK", call: 1 },
          steps: [callStep("native-thinking", "k8s.pods", { n: 1 })],
        },
        { when: { contains: "CURRENT TASK" }, steps: [{ text: "the answer" }] },
        ...LOOKS(strategy),
      );
      const id = await recording.session({ strategy, servers: ["k8s"], isScored: true });
      for (const question of ["What happened?", "And why?"].slice(0, 1 + (variant % 2))) {
        await ask(recording.runs.executor, id, { question, servers: ["k8s"] });
        await recording.runToEnd(id);
      }
      return id;
    },
  },
  {
    name: "a session that lost its owner",
    record: async (recording, variant) => {
      const strategy = strategyOf(variant);
      await recording.runs.play(...LOOKS(strategy));
      return recording.killed(2 + variant * 2, { strategy, stages: [["One"], AGENTS], servers: ["k8s"] });
    },
  },
  {
    name: "a session that was handed over",
    record: async (recording, variant) => {
      const strategy = strategyOf(variant);
      await recording.runs.play(
        { when: { call: 2 }, steps: [{ delay: "200ms" }, callStep(strategy, "k8s.pods", { n: 2 })] },
        ...LOOKS(strategy),
      );
      const id = await recording.runs.executor.insert({ strategy, servers: ["k8s"] });
      const run = await recording.runs.begin(id);
      await recording.calls(id, 1);
      run.stop.abort(handOver());
      await run.end;
      await recording.runToEnd(id);
      return id;
    },
  },
  {
    name: "a session that is cancelled in a call",
    record: async (recording, variant) => {
      const strategy = strategyOf(variant);
      await recording.runs.play(
        { when: { call: 2 }, steps: [{ text: "so far" }, { hang: true }] },
        ...LOOKS(strategy),
      );
      const id = await recording.runs.executor.insert({ strategy, stages: [AGENTS], servers: ["k8s"] });
      return recording.cancelled(id, async () => (await recording.runs.gateway.running()) === 3);
    },
  },
  {
    name: "a session that is cancelled while its sub-agents work",
    record: async (recording) => {
      const strategy = "native-thinking";
      await recording.runs.play(
        ofChild({ steps: [{ hang: true }] }),
        dispatches(strategy, "a", "b"),
        answerTurn(strategy, "I wait"),
      );
      const id = await recording.sub.insert({ strategy });
      return recording.cancelled(id, async () => (await recording.runs.gateway.running()) === 2);
    },
  },
  {
    name: "a session whose time is over",
    record: async (recording) => {
      await recording.runs.play({ when: { call: 1 }, steps: [{ text: "so far" }, { hang: true }] });
      return recording.session({ strategy: "native-thinking", stages: [["One"]], sessionTimeoutMs: 700 });
    },
  },
  {
    name: "a note of an operator",
    record: async (recording, variant) => {
      const strategy = strategyOf(variant);
      await recording.runs.play(
        { when: { contains: "rolled back" }, ...answerTurn(strategy, "so it was that") },
        { steps: [{ delay: "300ms" }, ...answerTurn(strategy).steps] },
      );
      const id = await recording.runs.executor.insert({
        strategy,
        stages: [variant % 2 === 0 ? ["One"] : AGENTS],
      });
      const run = await recording.runs.begin(id);
      await recording.agents(id);
      await steer(recording.runs.executor, id, variant % 3 === 2 ? "conclude" : "note", "it was rolled back");
      await run.end;
      return id;
    },
  },
];

function handOver(): CancelledError {
  return new CancelledError("shutdown", "the executor stops");
}
