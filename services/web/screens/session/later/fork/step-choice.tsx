import type { ApiResponse } from "#shared/client/api-types.ts";
import type { failingControl } from "../../../../parts/form-field.tsx";
import { shownText } from "../../../../session/shown-text.ts";
import { TEXT } from "../../../../text.ts";
import { FORK_TEXT } from "./fork-text.ts";

type ForkStep = ApiResponse<"GET /api/v1/sessions/:id/steps">["steps"][number];

/** So many steps before and behind the chosen one are listed: a long session has thousands. */
const LISTED = 100;

/** The last step that had ended at event `seq`; the first one if none had. */
export function stepAt(steps: readonly ForkStep[], seq: number): ForkStep | undefined {
  return steps.findLast(({ at_seq }) => at_seq <= seq) ?? steps[0];
}

interface StepChoiceProps {
  readonly control: ReturnType<typeof failingControl>;
  /** Undefined until they are known. */
  readonly steps: readonly ForkStep[] | undefined;
  readonly chosen: number | undefined;
  readonly choose: (seq: number) => void;
}

/** The steps around the chosen one, whose ends a fork can go on from. */
export function StepChoice({ control, steps, chosen, choose }: StepChoiceProps) {
  if (steps === undefined) return <p class="soft">{TEXT.app.loading}</p>;
  const index = steps.findIndex(({ at_seq }) => at_seq === chosen);
  const listed = steps.slice(Math.max(0, index - LISTED), index + LISTED);
  if (listed.length === 0) return <p class="soft">{FORK_TEXT.noSteps}</p>;
  return (
    <select
      {...control}
      value={String(chosen)}
      onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
    >
      {listed.map((step) => (
        <option key={step.at_seq} value={String(step.at_seq)}>
          {stepText(step)}
        </option>
      ))}
    </select>
  );
}

function stepText({ at_seq, agent_name, kind, name }: ForkStep): string {
  const what = [FORK_TEXT.kinds[kind], shownText(name)].filter((part) => part !== "").join(" ");
  return FORK_TEXT.stepOf(at_seq, shownText(agent_name ?? ""), what);
}
