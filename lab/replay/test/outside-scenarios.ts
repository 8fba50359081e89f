import { randomUUID } from "node:crypto";
import { decide } from "../../../services/executor/test/decide.ts";
import { ask, cancelFollowUp } from "../../../services/executor/test/follow-up-fixture.ts";
import { joinAlerts } from "../../../services/executor/test/join-alerts.ts";
import { insertRemembering, remember } from "../../../services/executor/test/memory-fixture.ts";
import { askToPark } from "../../../services/executor/test/park.ts";
import {
  answerTurn,
  callStep,
  callTurn,
  type Strategy,
} from "../../../services/executor/test/scripted-turns.ts";
import { scriptedProvider } from "../../../services/executor/test/resolved-chain.ts";
import { dispatches, ofChild } from "../../../services/executor/test/sub-agent-fixture.ts";
import { until } from "../../../test/support/until.ts";
import type { Scenario } from "./scenarios.ts";

const strategyOf = (variant: number): Strategy => (variant % 2 === 0 ? "native-thinking" : "react");

/** Sessions in which something came from outside that was not recorded as an answer. */
export const OUTSIDE_SCENARIOS: readonly Scenario[] = [
  {
    name: "calls that a person must agree to",
    record: async (recording, variant) => {
      const strategy = strategyOf(variant);
      await recording.runs.play(
        callTurn(strategy, 1, "k8s.remove", { pod: "a" }),
        callTurn(strategy, 2, "k8s.remove", { pod: "b" }),
        answerTurn(strategy),
      );
      const { executor } = recording.runs;
      const id = await executor.insert({ strategy, servers: ["k8s"] });
      await recording.runs.run(id);
      await decide(executor, id, "approved");
      await recording.runs.run(id);
      if (variant % 3 === 2) {
        await executor.query("UPDATE approvals SET expires_at = now() WHERE state = 'awaiting_approval'", []);
        await executor.query("UPDATE session_runtime SET not_before = NULL WHERE session_id = $1", [id]);
      } else {
        await decide(executor, id, "denied", "not now");
      }
      await recording.runToEnd(id);
      return id;
    },
  },
  {
    name: "alerts that join the incident",
    record: async (recording, variant) => {
      const strategy = strategyOf(variant);
      await recording.runs.play(
        { when: { call: 1 }, steps: [{ delay: "400ms" }, callStep(strategy, "k8s.pods", { n: 1 })] },
        answerTurn(strategy),
      );
      const { executor } = recording.runs;
      const id = await executor.insert({ strategy, servers: ["k8s"] });
      if (variant % 3 !== 1) await joinAlerts(executor, id, ["disk 2 is full", "disk 3 is full"]);
      const run = await recording.runs.begin(id);
      await recording.agents(id);
      if (variant % 3 !== 2) await joinAlerts(executor, id, ["disk 4 is full"]);
      await run.end;
      return id;
    },
  },
  {
    name: "sub-agents whose time is over",
    record: async (recording) => {
      const strategy = "native-thinking";
      await recording.runs.play(
        ofChild({ steps: [{ hang: true }] }),
        dispatches(strategy, "one", "two", "three"),
        answerTurn(strategy, "concluded"),
      );
      const id = await recording.sub.insert({
        limits: { max_concurrent_agents: 2, agent_timeout_ms: 1_000 },
      });
      await recording.runToEnd(id);
      return id;
    },
  },
  {
    name: "an agent that concludes without its sub-agents",
    record: async (recording) => {
      const strategy = "native-thinking";
      await recording.runs.play(
        ofChild({ steps: [{ hang: true }] }),
        dispatches(strategy, "one", "two"),
        answerTurn(strategy, "concluded"),
      );
      const id = await recording.sub.insert({ limits: { max_budget_ms: 1_000 } });
      await recording.runToEnd(id);
      return id;
    },
  },
  {
    name: "a sub-agent that its parent stops",
    record: async (recording, variant) => {
      const strategy = "native-thinking";
      await recording.runs.play(
        ofChild({ steps: [{ text: "hm" }, { hang: true }] }, "job-a"),
        ofChild({ steps: [{ text: "result b" }] }, "job-b"),
        dispatches(strategy, "job-a", "job-b"),
        { when: { call: 2 }, steps: [{ text: "I wait" }] },
        {
          when: { call: 3 },
          steps: [
            callStep(strategy, "list_agents", {}),
            callStep(strategy, "cancel_agent", { execution_id: "{{first dispatched}}" }),
          ],
        },
        { when: { contains: "Sub-agent cancelled" }, steps: [{ text: "over" }] },
        variant % 2 === 0 ? answerTurn(strategy, "concluded") : { steps: [{ text: "never mind" }] },
      );
      const id = await recording.sub.insert({ limits: { agent_timeout_ms: 1_500 } });
      await recording.runToEnd(id);
      return id;
    },
  },
  {
    name: "memories of earlier sessions",
    record: async (recording, variant) => {
      const { executor } = recording.runs;
      await remember(executor, { content: `a full disk ${variant} is the log's` });
      await recording.runs.play(
        callTurn("native-thinking", 1, "tarsy.recall_past_investigations", { query: "disk" }),
        answerTurn("native-thinking"),
      );
      const id = await insertRemembering(executor, { strategy: "native-thinking" });
      await recording.runToEnd(id);
      return id;
    },
  },
  {
    name: "a session that was tried too often",
    record: async (recording) => {
      const { executor } = recording.runs;
      await recording.runs.play(callTurn("react", 1, "k8s.pods", { n: 1 }), answerTurn("react"));
      const id = await executor.insert({ strategy: "react", servers: ["k8s"] });
      await recording.sub.loseLeaseAtWrite(id, 4);
      await recording.runs.run(id);
      await executor.query("UPDATE session_runtime SET attempts = 5 WHERE session_id = $1", [id]);
      await recording.runToEnd(id);
      return id;
    },
  },
  {
    name: "questions of which one is taken back",
    record: async (recording) => {
      const { executor } = recording.runs;
      await recording.runs.play(
        { when: { contains: "**Question:** What happened?" }, steps: [{ text: "the answer" }] },
        { when: { contains: "Will you hang?" }, steps: [{ text: "Let me think" }, { hang: true }] },
        answerTurn("native-thinking"),
      );
      const id = await recording.session({ strategy: "native-thinking" });
      const asked = await ask(executor, id, { question: "Will you hang?" });
      const run = await recording.runs.begin(id);
      await until("the question is asked", async () => (await recording.runs.gateway.running()) === 1);
      await cancelFollowUp(executor, id, asked);
      await run.end;
      await ask(executor, id, { question: "What happened?" });
      await recording.runToEnd(id);
      return id;
    },
  },
  {
    name: "secrets in arguments",
    record: async (recording, variant) => {
      const strategy = strategyOf(variant);
      const password = "Kx7qT9vB2mZ4wR8p";
      await recording.runs.play(
        callTurn(strategy, 1, "k8s.pods", { password, pod: "checkout" }),
        callTurn(strategy, 2, "k8s.restart", { password }),
        answerTurn(strategy),
      );
      return recording.session({ strategy, servers: ["k8s"], alert: `password=${password}` });
    },
  },
  {
    name: "a session that was parked",
    notReplayed: ["that the session was parked"],
    record: async (recording) => {
      const { executor } = recording.runs;
      await recording.runs.play({ steps: [{ text: "half " }, { delay: "300ms" }, { text: "done" }] });
      const id = await executor.insert({ strategy: "native-thinking", stages: [["One"], ["Two"]] });
      const run = await recording.runs.begin(id);
      await recording.agents(id);
      await askToPark(executor, id);
      await run.end;
      await executor.query("UPDATE session_runtime SET not_before = NULL WHERE session_id = $1", [id]);
      await recording.runToEnd(id);
      return id;
    },
  },
  {
    name: "providers that are known to be away",
    record: async (recording, variant) => {
      const { executor } = recording.runs;
      const { circuits } = executor.deps;
      for (const name of ["scripted", "second"].slice(0, 1 + (variant % 2))) {
        const provider = scriptedProvider(name, name === "scripted" ? "script.yaml" : `${name}.yaml`);
        for (const _ of [1, 2]) {
          const call = await circuits.admit(provider);
          if ("failed" in call) await call.failed(randomUUID(), "refused");
        }
      }
      await recording.runs.playOn("second", { steps: [{ text: "found by the second" }] });
      await recording.runs.playOn("third", { steps: [{ text: "found by the third" }] });
      const id = await recording.session({
        strategy: "native-thinking",
        stages: [["One", "Two"]],
        fallbacks: ["second", "third"],
        // Else the summary is written by the first of the same list that is there.
        ...(variant % 3 === 1 ? { summaryProvider: "third" } : {}),
      });
      await executor.query("DELETE FROM llm_circuits", []);
      await circuits.refresh();
      return id;
    },
  },
];
