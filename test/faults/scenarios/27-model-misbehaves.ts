import { answerFromAlert } from "../harness/lab-config.ts";
import type { ModelAnswer } from "../harness/model-server.ts";
import type { Scenario } from "../harness/scenario.ts";

/** Faults of the provider, each in the first LLM call of an investigation. */
const MODEL_FAULTS: Readonly<Record<string, ModelAnswer>> = {
  GARBAGE: { breaks: "garbage" },
  RESET: { breaks: "reset", text: "half an ans" },
  OVERLOADED: { breaks: "overload" },
  ENDLESS: { breaks: "endless" },
  SILENT: { breaks: "stall" },
  UNKNOWN: { tool: { name: "no_such_tool", args: {} } },
  NOTHING: {},
  // Postgres stores neither NUL nor a lone surrogate.
  NUL_ARGS: { tool: { name: "look", args: { "k\0": "a\0b", "k\ud800": ["\udc00"] } } },
};

/** Whatever the model does, its investigation continues or ends with a typed error; others are not affected. */
export const modelMisbehaves: Scenario = {
  name: "model-misbehaves",
  summary:
    "the model sends garbage, resets, refuses, never ends, stays silent, calls an unknown tool or writes NUL",
  run: async ({ lab: openLab, figure, expect, allowRepeats }) => {
    const lab = await openLab({
      executors: 1,
      slots: 10,
      plan: (call, alert) => {
        const fault = Object.entries(MODEL_FAULTS).find(([word]) => alert.includes(word))?.[1];
        const isFirst = lab.model.calls.filter(({ caseId }) => caseId === call.caseId).length === 1;
        return fault === undefined || !isFirst ? answerFromAlert(call, alert) : fault;
      },
    });
    allowRepeats(10 * Object.keys(MODEL_FAULTS).length);
    const good = await lab.alerts.submitMany(2, { turns: 2 });
    const bad = new Map<string, string>();
    for (const word of Object.keys(MODEL_FAULTS)) {
      bad.set(await lab.alerts.submit({ turns: 2, paceMs: 0, words: word }), word);
    }
    await lab.untilAllTerminal(300_000);
    for (const [id, word] of bad) {
      const { status, error_message: why } = await lab.client.session(id);
      expect(`${word}: the investigation completes`, status === "completed", `${status} ${why ?? ""}`);
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
    figure("a call to a silent model is cancelled after", seconds(silent), "s");
    figure("an endless answer is cancelled after", seconds(endless), "s");
    expect("a call to a silent model is cancelled within 60 s", seconds(silent) <= 60);
    expect("an endless answer is cancelled", Number.isFinite(seconds(endless)));
  },
};

function sessionOf(acked: ReadonlyMap<string, string>, caseId: string): string {
  return [...acked].find(([, known]) => known === caseId)?.[0] ?? "";
}
