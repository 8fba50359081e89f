import { isCommit } from "../../support/postgres-tap.ts";
import type { Scenario } from "../harness/scenario.ts";

/** The transaction is committed, but its client gets a broken connection instead of the reply. */
export const lostCommitReply: Scenario = {
  name: "lost-commit-reply",
  summary: "the connection to Postgres is cut between a COMMIT and its reply",
  run: async ({ lab: openLab, random, short, progress, figure, expect }) => {
    const { wanted, sessions } = short ? { wanted: 6, sessions: 6 } : { wanted: 100, sessions: 20 };
    let cuts = 0;
    let armed = true;
    const cutSome = (isTarget: (sql: string) => boolean) => () => ({
      answered: (sql: string) => {
        if (!armed || cuts >= wanted || !isTarget(sql) || random.next() > 0.1) return "forward" as const;
        cuts += 1;
        return "cut" as const;
      },
    });
    const lab = await openLab({
      executors: 2,
      slots: 10,
      watchExecutor: cutSome(isCommit),
      watchApi: cutSome((sql) => sql.includes("INSERT INTO alert_sessions")),
    });
    for (;;) {
      const ids = await Promise.all(
        Array.from({ length: sessions }, () => lab.alerts.submitPersistently({ turns: 4, paceMs: 50 })),
      );
      lab.follow(ids);
      await lab.untilAllTerminal();
      progress(`${cuts} of ${wanted} connections cut, ${lab.alerts.acked.size} sessions`);
      if (cuts >= wanted) break;
    }
    armed = false;
    const completed = await lab.countByStatus("completed");
    const cases = new Set(lab.alerts.acked.values()).size;
    figure("lost replies to a COMMIT", cuts, "");
    figure("sessions", completed, `of ${lab.alerts.acked.size} completed`);
    expect("every session completes", completed === lab.alerts.acked.size);
    expect(
      "one session for each key",
      (await lab.sessionCount()) === cases,
      `${await lab.sessionCount()} of ${cases}`,
    );
  },
};
