import { Uuid } from "#shared/contracts/uuid.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { ApiDeps } from "../../api-deps.ts";
import { compareSessions } from "../../comparison/compare-sessions.ts";
import type { ComparisonResponse } from "../../comparison/contract.ts";
import { sessionFor } from "../../http/visible-session.ts";
import { beginningOf } from "../frame-text.ts";
import { defineTool, resultOf } from "../tool.ts";

const MAX_STEPS = 20_000;
const MAX_ANALYSIS = 5_000;

/** Shows how two investigations differ. */
export const compareTool = (deps: ApiDeps) => {
  return defineTool(deps, {
    action: "trace.read",
    scope: "read",
    name: "compare",
    description:
      "Compare two investigations step by step: where they first differ, what each did, what each concluded and cost.",
    annotations: { title: "Compare two investigations", readOnlyHint: true },
    input: Type.Object({ session_id: Uuid, with_session_id: Uuid }),
    run: async ({ session_id, with_session_id }, call) => {
      const a = await sessionFor(deps.db, call.caller, session_id);
      const b = await sessionFor(deps.db, call.caller, with_session_id);
      const compared = await compareSessions(deps, a, b);
      return resultOf(
        { a: factsOf(compared.a), b: factsOf(compared.b), first_divergence: placeOf(compared) },
        textsOf(compared),
      );
    },
  });
};

function factsOf({
  alert_preview: _alert,
  final_analysis: _analysis,
  executive_summary: _summary,
  ...facts
}: ComparisonResponse["a"]) {
  return facts;
}

function placeOf({ first_divergence: first }: ComparisonResponse) {
  if (first === null) return null;
  const { path, step, kind, part, seq_a, seq_b } = first;
  return { path, step, kind, part, seq_a, seq_b };
}

function textsOf({ a, b, executions, first_divergence }: ComparisonResponse): Record<string, string> {
  const steps = executions.flatMap(({ path, agent_name, steps: compared }) =>
    compared.map(
      ({ name, equal, a: one, b: other }) =>
        `${path} ${agent_name}: ${name}: ${equal ? "equal" : `${sideOf(one)} | ${sideOf(other)}`}`,
    ),
  );
  return {
    "alert of a": a.alert_preview,
    "alert of b": b.alert_preview,
    "first difference, in a": first_divergence?.text_a ?? "",
    "first difference, in b": first_divergence?.text_b ?? "",
    steps: beginningOf(steps.join("\n"), MAX_STEPS),
    "analysis of a": beginningOf(a.final_analysis ?? "", MAX_ANALYSIS),
    "analysis of b": beginningOf(b.final_analysis ?? "", MAX_ANALYSIS),
  };
}

function sideOf(step: ComparisonResponse["executions"][number]["steps"][number]["a"]): string {
  return step === null
    ? "no such step"
    : (step.error ?? step.text).replaceAll(/\s+/gu, " ").slice(0, 200).toWellFormed();
}
