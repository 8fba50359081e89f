import { until } from "../../support/until.ts";
import type { RunningService } from "../../support/tarsy-system.ts";
import type { Scenario } from "../harness/scenario.ts";

/** The session is committed, but no executor was woken and the client got no answer. */
export const apiCommitPublish: Scenario = {
  name: "api-commit-publish",
  summary: "the api dies between the COMMIT of an alert and its wake-up",
  run: async ({ lab: openLab, short, progress, figure, expect }) => {
    const rounds = short ? 2 : 50;
    let victim: RunningService | undefined;
    const lab = await openLab({
      slots: 10,
      watchApi: () => ({
        answered: (sql) => {
          if (victim === undefined || !sql.includes("INSERT INTO alert_sessions")) return "forward";
          victim.process.kill("SIGKILL");
          victim = undefined;
          return "hold";
        },
      }),
    });
    for (let round = 1; round <= rounds; round += 1) {
      const alert = lab.alerts.newCase({ turns: 0 });
      victim = lab.system.find("api");
      const answer = await lab.alerts.submitCase(alert).catch(() => "none");
      expect("the client is not answered", answer === "none", answer);
      await lab.system.stop("api", "SIGKILL");
      await lab.startService("api");
      if (round % 10 === 0) progress(`${round} of ${rounds}`);
    }
    await until(
      "every session is stored and completed",
      async () => (await lab.countByStatus("completed")) === rounds,
      60_000,
    );
    const claims = await lab.claims();
    figure("alerts committed without an answer", rounds, "");
    figure("runs", claims.length, "");
    expect("each runs once", claims.length === rounds, `${claims.length} runs of ${rounds} sessions`);
  },
};
