import { setTimeout as wait } from "node:timers/promises";
import { startHttpServer } from "../../../services/tool-runner/mcp/test/http-server.ts";
import { parseCount } from "../harness/database-recorder.ts";
import type { Scenario } from "../harness/scenario.ts";

/** Sessions whose agent went on without the tool that its server has. */
const BLIND = `
SELECT count(*)::int AS count FROM alert_sessions s WHERE degraded OR NOT EXISTS (
  SELECT 1 FROM mcp_interactions i WHERE i.session_id = s.session_id AND interaction_type = 'tool_list'
    AND server_name = 'real' AND available_tools <> '[]')`;

/** A runner has no list of a server for as long as the server takes to answer, after each start of the runner. */
export const slowLists: Scenario = {
  name: "slow-lists",
  summary: "an MCP server takes 2 s and then 10 s for its list, and two tool-runners are killed in turn",
  run: async ({ lab: openLab, short, progress, figure, expect }) => {
    const { sessions, kills } = short ? { sessions: 6, kills: 1 } : { sessions: 20, kills: 4 };
    let delayMs = 2_000;
    await using server = await startHttpServer("legacy", {
      "tools/list": (_request, response, id) => {
        const tools = [{ name: "echo", inputSchema: { type: "object" } }];
        setTimeout(() => server.respond(response, id, { tools }), delayMs);
      },
    });
    const lab = await openLab({ executors: 2, slots: 12, toolServer: server.url });
    const submit = () => lab.alerts.submitMany(sessions, { turns: 0, type: "listed" });
    lab.follow(await submit());
    await lab.startService("tool-runner");
    await lab.untilAllTerminal();
    progress("the first alerts after the start have ended");
    delayMs = 10_000;
    for (let kill = 1; kill <= kills; kill += 1) {
      for (const runner of lab.system.all("tool-runner")) {
        await lab.system.end(runner, "SIGKILL");
        await lab.launchService("tool-runner");
        lab.follow(await submit());
        await wait(3_000);
      }
      progress(`kill ${kill} of ${kills}`);
    }
    await lab.untilAllTerminal(300_000);
    const [row] = await lab.servers.query(BLIND, []);
    const blind = parseCount(row).count;
    figure("sessions", lab.alerts.acked.size, "");
    figure("sessions without their tools", blind, "");
    expect("no session is without its tools", blind === 0, `${blind} of ${lab.alerts.acked.size}`);
  },
};
