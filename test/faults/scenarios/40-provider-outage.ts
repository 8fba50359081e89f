import { setTimeout as wait } from "node:timers/promises";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../support/until.ts";
import { answerFromAlert, SPARE_MODEL } from "../harness/lab-config.ts";
import type { ModelPlan } from "../harness/model-server.ts";
import type { Scenario } from "../harness/scenario.ts";

/** The gateway's tries of a call that reaches no provider. */
const TRIES = 3;

/** A provider that is away from `start` until `end`, except for the spare model. */
function outage() {
  let isAway = false;
  const plan: ModelPlan = (call, alert) =>
    isAway && call.model !== SPARE_MODEL ? { breaks: "down" } : answerFromAlert(call, alert);
  return { plan, start: () => void (isAway = true), end: () => void (isAway = false) };
}

/** A provider is away under running sessions without another one: they wait, and go on once it is back. */
export const providerOutage: Scenario = {
  name: "provider-outage",
  summary: "the only provider is away for 3 min while ten investigations run",
  run: async ({ lab: openLab, short, figure, expect, allowRepeats }) => {
    const [sessions, downMs] = short ? [4, 20_000] : [10, 180_000];
    const { plan, start, end } = outage();
    const lab = await openLab({ executors: 2, slots: 5, plan });
    lab.follow(await lab.alerts.submitMany(sessions, { turns: 4, paceMs: 1_000 }));
    await until("all run", () => lab.model.calls.length >= sessions);
    start();
    const before = lab.model.calls.length;
    await until("every session waits", async () => (await lab.countWaiting("provider")) === sessions, 60_000);
    const inFlight = lab.model.calls.length - before;
    await wait(downMs);
    const calls = lab.model.calls.length - before;
    // Probes: after 5, 10 and 20 s, then every 30 s.
    const probes = 3 + Math.ceil(downMs / 30_000);
    allowRepeats(calls + sessions);
    end();
    const backAt = Date.now();
    await until("the model answers again", () => lab.model.calls.length > before + calls, 120_000);
    figure("calls to the dead provider until every session waits", inFlight, `of ${sessions} sessions`);
    figure("calls to it afterwards, all of them probes", calls - inFlight, "");
    figure("from its return to the next call", (Date.now() - backAt) / 1_000, "s");
    expect("calls in flight are all it costs", inFlight <= sessions * TRIES, `${inFlight} calls`);
    expect("then only probes are made", calls - inFlight <= probes * TRIES, `${calls - inFlight} calls`);
    await lab.untilAllTerminal(300_000);
    const completed = await lab.countByStatus("completed");
    expect("every session completes", completed === sessions, `${completed} of ${sessions}`);
  },
};

const parseFallbacks = compileParser(
  "fallbacks",
  Type.Object({ rows: Type.Integer(), executions: Type.Integer(), on_spare: Type.Integer() }),
);

/** Fallback rows, the agents that have one, and the agents that end with the spare provider; those of summaries apart. */
const FALLBACKS = `
SELECT count(*)::int AS rows, count(DISTINCT execution_id)::int AS executions,
  (SELECT count(*)::int FROM agent_executions WHERE llm_provider = 'spare' AND original_llm_provider = 'model') AS on_spare
FROM timeline_events t
WHERE event_type = 'provider_fallback'
  AND NOT EXISTS (SELECT FROM timeline_events s WHERE s.execution_id = t.execution_id AND s.event_type = 'final_analysis'
                  AND s.sequence_number < t.sequence_number)`;

/** A provider dies for good, and executors are killed while agents turn to another one. */
export const providerFallback: Scenario = {
  name: "provider-fallback",
  summary: "a provider dies for good and executors are killed (kill -9) while another one takes over",
  run: async ({ lab: openLab, random, short, figure, expect, allowRepeats }) => {
    const [sessions, kills] = short ? [4, 2] : [10, 12];
    const { plan, start } = outage();
    const lab = await openLab({ executors: 2, slots: sessions, plan, hasSpare: true });
    lab.follow(await lab.alerts.submitMany(sessions, { turns: 4, paceMs: 1_500 }));
    await until("all run", () => lab.model.calls.length >= sessions);
    start();
    const dead = () => lab.model.calls.filter(({ model }) => model !== SPARE_MODEL).length;
    const before = dead();
    for (let killed = 0; killed < kills; killed += 1) {
      await wait(random.between(100, 3_000));
      const slot = random.pick(lab.executors);
      await slot.kill();
      await slot.start();
    }
    await lab.untilAllTerminal(600_000);
    const calls = dead() - before;
    allowRepeats(calls + sessions);
    const completed = await lab.countByStatus("completed");
    expect("every session completes", completed === sessions, `${completed} of ${sessions}`);
    const [row] = await lab.servers.query(FALLBACKS, []);
    const { rows, executions, on_spare } = parseFallbacks(row);
    figure("calls to the dead provider", calls, `of ${sessions} sessions and ${kills} kills`);
    figure("agents that changed their provider", executions, "");
    expect("every agent changed once", rows === executions && on_spare === executions, JSON.stringify(row));
    expect("the other provider took over", executions > 0);
  },
};
