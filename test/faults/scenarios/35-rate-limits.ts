import { answerFromAlert } from "../harness/lab-config.ts";
import type { Scenario } from "../harness/scenario.ts";

/** The provider refuses every call for minutes and says when to come back. */
export const rateLimits: Scenario = {
  name: "rate-limits",
  summary: "the provider answers 429 with Retry-After 30 for 2 min",
  run: async ({ lab: openLab, short, figure, expect, allowRepeats }) => {
    const [sessions, limitedMs, retryAfter] = short ? [4, 12_000, 5] : [20, 120_000, 30];
    let refused = 0;
    let until = Number.POSITIVE_INFINITY;
    const lab = await openLab({
      executors: 2,
      slots: 5,
      plan: (call, alert) => {
        if (Date.now() >= until) return answerFromAlert(call, alert);
        refused += 1;
        return { breaks: "overload", retryAfter };
      },
    });
    lab.follow(await lab.alerts.submitMany(sessions, { turns: 2 }));
    until = Date.now() + limitedMs;
    allowRepeats(sessions * Math.ceil((3 * limitedMs) / (retryAfter * 1_000)));
    await lab.untilAllTerminal(600_000);
    figure("calls refused", refused, "");
    expect("every session was refused", refused >= sessions, `${refused} calls`);
    const completed = await lab.countByStatus("completed");
    expect("every session completes", completed === sessions, `${completed} of ${sessions}`);
    const most = Math.ceil(limitedMs / (retryAfter * 1_000)) + 1;
    const perSession = Math.max(...countByCase(lab.model.calls.map(({ caseId }) => caseId)));
    // Three calls with tools and their answer, and the summary.
    expect(
      "no session asks before its time",
      perSession <= most + 4,
      `${perSession} calls, ${most} expected`,
    );
  },
};

function countByCase(cases: readonly string[]): number[] {
  const counts = new Map<string, number>();
  for (const name of cases) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts.values()];
}
