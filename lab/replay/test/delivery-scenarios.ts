import { decide } from "../../../services/executor/test/decide.ts";
import { joinAlerts } from "../../../services/executor/test/join-alerts.ts";
import {
  answerTurn,
  callStep,
  callTurn,
  type Strategy,
} from "../../../services/executor/test/scripted-turns.ts";
import { steer } from "../../../services/executor/test/steer.ts";
import { until } from "../../../test/support/until.ts";
import type { RecordingFixture } from "./recording-fixture.ts";
import type { Scenario } from "./scenarios.ts";

const strategyOf = (variant: number): Strategy => (variant % 2 === 0 ? "react" : "native-thinking");
/** Answers once something was delivered to the agents. */
const SLOW = { delay: "700ms" };

/** Sessions whose agents get something at a moment that the order of their calls alone does not give. */
export const DELIVERY_SCENARIOS: readonly Scenario[] = [
  {
    name: "a note from before the agents began",
    record: async (recording, variant) => {
      const strategy = strategyOf(variant);
      await recording.runs.play(answerTurn(strategy));
      const { executor } = recording.runs;
      const id = await executor.insert({ strategy, stages: [["One", "Two"]] });
      await steer(executor, id, "note", "it was rolled back");
      await recording.runToEnd(id);
      return id;
    },
  },
  {
    name: "a wish to conclude that comes with a call's result",
    record: async (recording, variant) => {
      const strategy = strategyOf(variant);
      await recording.runs.play(
        { when: { call: 1 }, steps: [SLOW, callStep(strategy, "k8s.pods", { n: 1 })] },
        answerTurn(strategy),
      );
      return concluding(recording, { strategy, stages: [["One"]] });
    },
  },
  {
    name: "a wish to conclude before calls of which several would be made at once",
    record: async (recording) => {
      const strategy = "native-thinking";
      await recording.runs.play(
        {
          when: { call: 1 },
          steps: [SLOW, ...[1, 2, 3].map((n) => callStep(strategy, "k8s.pods", { n }))],
        },
        answerTurn(strategy),
      );
      return concluding(recording, { strategy, stages: [["One", "Two"]] }, ["disk 2 is full"]);
    },
  },
  {
    name: "a wish to conclude before a call that a person must agree to",
    record: async (recording) => {
      const strategy = "native-thinking";
      const { executor } = recording.runs;
      await recording.runs.play(
        {
          when: { call: 1 },
          steps: [callStep(strategy, "k8s.remove", { n: 1 }), callStep(strategy, "k8s.remove", { n: 2 })],
        },
        answerTurn(strategy),
      );
      const id = await executor.insert({ strategy, servers: ["k8s"] });
      await recording.runs.run(id);
      await decide(executor, id, "approved", null, '{"n":1}');
      await recording.runs.run(id);
      await steer(executor, id, "conclude", "enough");
      await recording.runToEnd(id);
      return id;
    },
  },
  {
    name: "alerts that agents hear of one after the other",
    record: async (recording, variant) => {
      const strategy = strategyOf(variant);
      const { executor } = recording.runs;
      await recording.runs.play(
        { when: { contains: "Your name is Ann", call: 1 }, ...callTurn(strategy, 1, "k8s.pods", { n: 1 }) },
        {
          when: { contains: "Your name is Ann", call: 2 },
          steps: [SLOW, SLOW, ...answerTurn(strategy).steps],
        },
        { when: { call: 1 }, steps: [SLOW, callStep(strategy, "k8s.pods", { n: 1 })] },
        answerTurn(strategy),
      );
      const id = await executor.insert({ strategy, servers: ["k8s"], stages: [["Ann", "Ben"], ["Cem"]] });
      await joinAlerts(executor, id, ["disk 2 is full"]);
      const run = await recording.runs.begin(id);
      await recording.calls(id, 1);
      await joinAlerts(executor, id, ["disk 3 is full", "disk 4 is full"]);
      await recording.calls(id, 3);
      await joinAlerts(executor, id, ["disk 5 is full"]);
      await run.end;
      return id;
    },
  },
];

/** A session whose agents are asked to conclude while their models write their first answers. */
async function concluding(
  recording: RecordingFixture,
  options: { readonly strategy: Strategy; readonly stages: readonly (readonly string[])[] },
  alerts: readonly string[] = [],
): Promise<string> {
  const { executor, gateway } = recording.runs;
  const agents = options.stages.flat().length;
  const id = await executor.insert({ ...options, servers: ["k8s"] });
  const run = await recording.runs.begin(id);
  await until("the models write", async () => (await gateway.running()) === agents);
  if (alerts.length > 0) await joinAlerts(executor, id, alerts);
  await steer(executor, id, "note", "look at the disk");
  await steer(executor, id, "conclude", "enough");
  await run.end;
  return id;
}
