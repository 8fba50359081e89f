import { setTimeout as wait } from "node:timers/promises";
import { parseCount } from "../harness/database-recorder.ts";
import type { Scenario } from "../harness/scenario.ts";

/**
 * Completed sessions whose agents had no tools and that do not say so: no tool was listed, and the session is not marked
 * as degraded or shows no error.
 */
const SILENTLY_WITHOUT_TOOLS = `
SELECT count(*)::int AS count FROM alert_sessions s WHERE status = 'completed'
  AND NOT EXISTS (
    SELECT 1 FROM mcp_interactions i WHERE i.session_id = s.session_id AND interaction_type = 'tool_list'
      AND error_message IS NULL AND available_tools <> '[]')
  AND NOT (degraded AND EXISTS (
    SELECT 1 FROM timeline_events t WHERE t.session_id = s.session_id AND t.event_type = 'error'))`;

/** A frozen process keeps its subscription, so NATS sends it requests that stay unanswered. */
export const frozenToolRunner: Scenario = {
  name: "frozen-tool-runner",
  summary: "one of two tool-runners is frozen (SIGSTOP) for 40 s while alerts arrive",
  run: async ({ lab: openLab, short, progress, figure, expect, allowRepeats }) => {
    const { rounds, sessions, frozenMs } = short
      ? { rounds: 1, sessions: 12, frozenMs: 20_000 }
      : { rounds: 3, sessions: 24, frozenMs: 40_000 };
    const lab = await openLab({ executors: 2, slots: 12 });
    const frozen = await lab.startService("tool-runner");
    for (let round = 1; round <= rounds; round += 1) {
      frozen.process.kill("SIGSTOP");
      lab.follow(await lab.alerts.submitMany(sessions, { turns: 2, paceMs: 300 }));
      await wait(frozenMs);
      frozen.process.kill("SIGCONT");
      await lab.untilAllTerminal(300_000);
      progress(`round ${round} of ${rounds}`);
    }
    // The runner continues with requests that were sent again to the other one meanwhile.
    allowRepeats(rounds * sessions);
    const total = lab.alerts.acked.size;
    const [row] = await lab.servers.query(SILENTLY_WITHOUT_TOOLS, []);
    const silent = parseCount(row).count;
    figure("sessions", total, "");
    figure("sessions without tools that do not say so", silent, "");
    expect("every session ends as completed", (await lab.countByStatus("completed")) === total);
    expect("no session completes without tools in silence", silent === 0, `${silent} of ${total}`);
  },
};
