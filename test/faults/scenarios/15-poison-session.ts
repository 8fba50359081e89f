import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import { answerFromAlert } from "../harness/lab-config.ts";
import type { Scenario } from "../harness/scenario.ts";

const parseOwner = compileParser(
  "owner",
  Type.Object({ lease_owner: Type.Union([Type.String(), Type.Null()]) }),
);
const parseEnd = compileParser(
  "end",
  Type.Object({ status: Type.String(), error_code: Type.Union([Type.String(), Type.Null()]) }),
);

/** One investigation kills every executor that works on it. */
export const poisonSession: Scenario = {
  name: "poison-session",
  summary: "a step of one session kills its executor each time, while other sessions share the executors",
  run: async ({ lab: openLab, short, figure, expect }) => {
    const others = short ? 4 : 20;
    let deaths = 0;
    const lab: FaultLab = await openLab({
      executors: 2,
      slots: 5,
      plan: async (call, alert) => {
        if (alert.includes("POISON")) {
          deaths += 1;
          await killOwner(lab, call.caseId);
        }
        return answerFromAlert(call, alert);
      },
    });
    const poison = await lab.alerts.submit({ words: "POISON" });
    await lab.alerts.submitMany(others, { turns: 4, paceMs: 1_000 });
    const startedAt = performance.now();
    await lab.untilAllTerminal(600_000);
    const [row] = await lab.servers.query(
      "SELECT status::text, error_code FROM alert_sessions WHERE session_id = $1",
      [poison],
    );
    const { status, error_code } = parseEnd(row);
    const completed = await lab.countByStatus("completed");
    figure("executors killed", deaths, "");
    figure("until the session failed", (performance.now() - startedAt) / 1_000, "s");
    expect("it fails as poison", status === "failed" && error_code === "poison", `${status} ${error_code}`);
    // The first run and up to five counted attempts.
    expect("after five attempts", deaths >= 5 && deaths <= 6, `${deaths} runs`);
    expect("the others complete", completed === others, `${completed} of ${others}`);
  },
};

async function killOwner(lab: FaultLab, caseId: string): Promise<void> {
  const [row] = await lab.servers.query(
    `SELECT lease_owner FROM session_runtime JOIN alert_sessions USING (session_id) WHERE alert_data LIKE $1 || '.%'`,
    [caseId],
  );
  const { lease_owner } = parseOwner(row);
  const slot = lab.executors.find(({ pod }) => pod === lease_owner);
  await slot?.kill();
  await slot?.start({ ready: false });
}
