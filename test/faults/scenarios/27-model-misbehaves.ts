import { planOf } from "../harness/lab-config.ts";
import type { ModelAnswer } from "../harness/model-server.ts";
import type { Scenario } from "../harness/scenario.ts";

/** What a provider does on a bad day, to the first call of an investigation. */
const BAD_DAYS: Readonly<Record<string, ModelAnswer>> = {
  GARBAGE: { breaks: "garbage" },
  RESET: { breaks: "reset", text: "half an ans" },
  OVERLOADED: { breaks: "overload" },
  ENDLESS: { breaks: "endless" },
  SILENT: { breaks: "stall" },
  UNKNOWN: { tool: { name: "no_such_tool", args: {} } },
  NOTHING: {},
};

/** Whatever the model does, the investigation goes on or ends with a typed error, and the others do not notice. */
export const modelMisbehaves: Scenario = {
  name: "model-misbehaves",
  summary:
    "the model answers with garbage, resets, overload, without end, not at all, or wants an unknown tool",
  inShortRun: false,
  run: async ({ lab: openLab, figure, expect, allowRepeats }) => {
    const lab = await openLab({
      executors: 1,
      slots: 10,
      plan: (call, alert) => {
        const badDay = Object.entries(BAD_DAYS).find(([word]) => alert.includes(word))?.[1];
        const isFirst = lab.model.calls.filter(({ caseId }) => caseId === call.caseId).length === 1;
        return badDay === undefined || !isFirst ? planOf(call, alert) : badDay;
      },
    });
    allowRepeats(10 * Object.keys(BAD_DAYS).length);
    const good = await lab.alerts.submitMany(2, { turns: 2 });
    const bad = new Map<string, string>();
    for (const word of Object.keys(BAD_DAYS)) {
      bad.set(await lab.alerts.submit({ turns: 2, paceMs: 0, words: word }), word);
    }
    await lab.untilAllTerminal(300_000);
    for (const [id, word] of bad) {
      const { status, error_message: why = "" } = await lab.client.session(id);
      expect(`${word}: the investigation goes on and completes`, status === "completed", `${status} ${why}`);
    }
    for (const id of good) {
      expect("the others complete", (await lab.client.session(id)).status === "completed");
    }
    const silent = lab.model.calls.find(
      ({ caseId }) => bad.get(sessionOf(lab.alerts.acked, caseId)) === "SILENT",
    );
    const endless = lab.model.calls.find(
      ({ caseId }) => bad.get(sessionOf(lab.alerts.acked, caseId)) === "ENDLESS",
    );
    const seconds = (call: typeof silent) =>
      ((call?.brokenOffAt ?? Number.POSITIVE_INFINITY) - (call?.at ?? 0)) / 1_000;
    figure("a silent model is given up after", seconds(silent), "s");
    figure("an endless answer is given up after", seconds(endless), "s");
    expect("a silent model is given up within 60 s", seconds(silent) <= 60);
    expect("an endless answer is cut off", Number.isFinite(seconds(endless)));
  },
};

function sessionOf(acked: ReadonlyMap<string, string>, caseId: string): string {
  return [...acked].find(([, known]) => known === caseId)?.[0] ?? "";
}
