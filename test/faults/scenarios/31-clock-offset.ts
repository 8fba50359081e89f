import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../support/until.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import type { Scenario } from "../harness/scenario.ts";

const PRELOAD = pathToFileURL(join(import.meta.dirname, "../harness/jump-clock.mjs")).href;
const HOUR_MS = 3_600_000;
/** By executor. */
const OFFSETS_MS = [HOUR_MS, -HOUR_MS, 0];

/** Events are stamped by the database, so several writers with different clocks make one ascending history. */
export const clockOffset: Scenario = {
  name: "clock-offset",
  summary: "the clocks of two executors and of the api are an hour ahead or behind; one executor is killed",
  run: async ({ lab: openLab, short, figure, expect }) => {
    const sessions = short ? 6 : 20;
    const clock = (offsetMs: number) => ({
      NODE_OPTIONS: `--import ${PRELOAD}`,
      CLOCK_OFFSET_MS: String(offsetMs),
    });
    const lab = await openLab({
      executors: OFFSETS_MS.length,
      // So few that every executor is needed.
      slots: Math.ceil(sessions / OFFSETS_MS.length),
      executorEnv: (slot) => clock(OFFSETS_MS[slot - 1] ?? 0),
      apiEnv: clock(-HOUR_MS),
    });
    const startedAt = await databaseTime(lab);
    const ids = await lab.alerts.submitMany(sessions, { turns: 4, paceMs: 700 });
    lab.follow(ids);
    const [ahead, ...others] = lab.executors;
    await until("every executor owns a session", async () => {
      const owners = new Set((await lab.claims()).map(({ pod }) => pod));
      return lab.executors.every(({ pod }) => owners.has(pod));
    });
    // Both the api and the owner write events of a cancelled session.
    for (const id of ids.slice(0, 2)) await lab.client.request("POST", `/api/v1/sessions/${id}/cancel`);
    await ahead?.kill();
    await lab.untilAllTerminal();
    const endedAt = await databaseTime(lab);
    const times = await readTimes(lab);
    const late = (await lab.claims()).filter(({ epoch }) => epoch > 1);
    figure("events", times.length, "");
    figure("sessions taken over", late.length, "");
    expect("sessions are taken over by another clock", others.length > 0 && late.length > 0);
    expect(
      "no session's timestamps run backwards",
      times.every(({ step_ms }) => step_ms >= 0),
      `the largest step back is ${-Math.min(0, ...times.map(({ step_ms }) => step_ms))} ms`,
    );
    const outside = times.filter(({ at }) => at < Math.floor(startedAt) || at > endedAt);
    expect("every timestamp lies within the run", outside.length === 0, `${outside.length} do not`);
  },
};

const parseTime = compileParser("time of the database", Type.Object({ ms: Type.Number() }));

/** Milliseconds since the Unix epoch. */
async function databaseTime(lab: FaultLab): Promise<number> {
  const [row] = await lab.servers.query(
    "SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms",
    [],
  );
  return parseTime(row).ms;
}

const parseEventTime = compileParser(
  "time of an event",
  Type.Object({
    /** Milliseconds since the Unix epoch. */
    at: Type.Number(),
    /** Since the session's event before; 0 for the first. */
    step_ms: Type.Number(),
  }),
);

const EVENT_TIMES = `
SELECT at, coalesce(at - lag(at) OVER (PARTITION BY session_id ORDER BY seq), 0) AS step_ms
FROM (SELECT session_id, seq, extract(epoch FROM created_at)::float8 * 1000 AS at
      FROM events) AS stamped`;

async function readTimes(lab: FaultLab) {
  return (await lab.servers.query(EVENT_TIMES, [])).map((row) => parseEventTime(row));
}
