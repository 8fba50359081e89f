import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../support/until.ts";
import { expectEach } from "../harness/expect-each.ts";
import type { FaultLab } from "../harness/fault-lab.ts";
import { killDuringWork } from "../harness/kill-during-work.ts";
import type { KilledWork } from "../harness/killed-work.ts";
import { LIMITED_CALLS } from "../harness/lab-config.ts";
import type { Scenario } from "../harness/scenario.ts";

const parseUse = compileParser(
  "use of a session's budget",
  Type.Object({
    session: Type.String(),
    error_code: Type.Union([Type.String(), Type.Null()]),
    has_analysis: Type.Boolean(),
    used: Type.Integer(),
    reserved: Type.Integer(),
    reservations: Type.Integer(),
  }),
);
const USE = `
SELECT s.status::text AS session, s.error_code, s.final_analysis IS NOT NULL AS has_analysis, a.used_calls::int AS used, a.reserved_calls::int AS reserved,
  (SELECT count(*)::int FROM budget_reservations WHERE session_id = $1)
    + (SELECT count(*)::int FROM budget_ledger WHERE session_id = $1) AS reservations
FROM alert_sessions s JOIN budget_accounts a USING (session_id) WHERE s.session_id = $1`;

/** Sessions whose agent wants more calls than their budget has. */
function budgetWork(): KilledWork {
  return {
    name: "budget",
    writes: 20,
    answer: () => undefined,
    begin: async (lab) => lab.alerts.submit({ type: "limited", turns: 20, paceMs: 50 }),
    check: async (context, lab, sessions) => {
      await until("everything is settled", async () => {
        const uses = await Promise.all(sessions.map(async ({ sessionId }) => readUse(lab, sessionId)));
        return uses.every(({ reservations }) => reservations === 0);
      });
      await expectEach(context, "an agent that a budget stops answers", sessions, async ({ sessionId }) => {
        const { session, error_code, has_analysis } = await readUse(lab, sessionId);
        // On a slow machine more conclusions can be lost than there is room for.
        const isOrderly = session === "completed" || error_code === "budget_exceeded";
        return isOrderly && has_analysis ? undefined : `${session}, analysis: ${has_analysis}`;
      });
      await expectEach(context, "a budget is not exceeded", sessions, async ({ sessionId }) => {
        const { used, reserved } = await readUse(lab, sessionId);
        const caseId = lab.alerts.acked.get(sessionId);
        const made = lab.model.calls.filter((call) => call.caseId === caseId).length;
        const holds = made <= used && used <= LIMITED_CALLS && reserved === 0;
        return holds ? undefined : `${made} calls, ${used} used, ${reserved} reserved of ${LIMITED_CALLS}`;
      });
    },
  };
}

export const budgetKill: Scenario = killDuringWork(
  "budget-kill",
  "an executor dies at each write of a session whose budget ends its investigation",
  () => [budgetWork()],
);

async function readUse(lab: FaultLab, sessionId: string) {
  return parseUse((await lab.servers.query(USE, [sessionId]))[0]);
}
