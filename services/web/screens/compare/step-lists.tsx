import { Fragment, type ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { durationText } from "../../parts/format.ts";
import { shownText } from "../../session/shown-text.ts";
import { TEXT } from "../../text.ts";
import { COMPARE_TEXT } from "./compare-text.ts";
import { costText, type Comparison } from "./figures.tsx";
import { stepGroups } from "./step-groups.ts";

type ComparedExecution = Comparison["executions"][number];
type StepPair = ComparedExecution["steps"][number];
type ComparedStep = NonNullable<StepPair["a"]>;

/** The steps of two sessions, agent by agent, each beside its counterpart. */
export function StepLists({ comparison }: { readonly comparison: Comparison }) {
  const { executions, first_divergence: first } = comparison;
  return (
    <section aria-labelledby="compare-steps">
      <h2 id="compare-steps">{COMPARE_TEXT.steps}</h2>
      {executions.length === 0 && <p class="soft">{COMPARE_TEXT.noSteps}</p>}
      {executions.map((execution) => (
        <ExecutionSteps
          key={execution.path}
          execution={execution}
          first={first?.path === execution.path ? first.step : undefined}
        />
      ))}
    </section>
  );
}

interface ExecutionStepsProps {
  readonly execution: ComparedExecution;
  /** The position of the first step that differs, if it is here. */
  readonly first: number | undefined;
}

function ExecutionSteps({ execution, first }: ExecutionStepsProps) {
  const { agent_name, stage_name, a, b, steps } = execution;
  const groups = useMemo(() => stepGroups(steps), [steps]);
  const only = a === null ? "B" : b === null ? "A" : undefined;
  return (
    <section class="compare-execution" aria-label={shownText(`${stage_name} ${agent_name}`)}>
      <h3>
        {shownText(stage_name)} · {shownText(agent_name)}{" "}
        <span class="soft small">{only !== undefined && COMPARE_TEXT.onlyIn(only)}</span>
      </h3>
      <Some
        count={groups.length}
        least={groups.findIndex((group) => group.first === first) + 1}
        show={(index) => {
          const group = groups[index];
          if (group === undefined) return null;
          return group.kind === "step" ? (
            <PairRow pair={group.step} position={group.first} isFirst={group.first === first} />
          ) : (
            <EqualRun steps={group.steps} from={group.first} />
          );
        }}
      />
    </section>
  );
}

/** Equal steps behind one line. */
function EqualRun({ steps, from }: { readonly steps: readonly StepPair[]; readonly from: number }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="compare-run" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{COMPARE_TEXT.equalSteps(steps.length)}</summary>
      {isOpen && (
        <Some
          count={steps.length}
          show={(index) => {
            const pair = steps[index];
            return pair && <PairRow pair={pair} position={from + index} isFirst={false} />;
          }}
        />
      )}
    </details>
  );
}

/** So many rows are shown at once, and with each press of the button below them: a session may have thousands of steps. */
const PAGE = 200;

interface SomeProps {
  readonly count: number;
  /** At least so many are shown. */
  readonly least?: number;
  readonly show: (index: number) => ComponentChildren;
}

function Some({ count, least = 0, show }: SomeProps) {
  const [wanted, setWanted] = useState(PAGE);
  const shown = Math.min(count, Math.max(wanted, least));
  return (
    <>
      {Array.from({ length: shown }, (_, index) => (
        <Fragment key={index}>{show(index)}</Fragment>
      ))}
      {shown < count && (
        <button type="button" class="button small" onClick={() => setWanted(shown + PAGE)}>
          {COMPARE_TEXT.more(count - shown)}
        </button>
      )}
    </>
  );
}

interface PairRowProps {
  readonly pair: StepPair;
  /** From 0 in the execution. */
  readonly position: number;
  readonly isFirst: boolean;
}

function PairRow({ pair, position, isFirst }: PairRowProps) {
  const { kind, name, equal } = pair;
  return (
    <article class={`compare-pair ${equal ? "equal" : "differs"} ${isFirst ? "first" : ""}`}>
      <h4>
        <span class="numbers">{position + 1}.</span> {COMPARE_TEXT.kinds[kind]}{" "}
        <span class="mono">{shownText(name)}</span>{" "}
        <span class="compare-mark small">
          {equal ? `= ${COMPARE_TEXT.equal}` : `≠ ${isFirst ? COMPARE_TEXT.first : COMPARE_TEXT.differs}`}
        </span>
      </h4>
      <div class="compare-columns">
        <StepCell letter="A" step={pair.a} />
        <StepCell letter="B" step={pair.b} />
      </div>
    </article>
  );
}

function StepCell({ letter, step }: { readonly letter: string; readonly step: ComparedStep | null }) {
  if (step === null) return <p class="compare-cell soft small">{COMPARE_TEXT.noStep(letter)}</p>;
  const { duration_ms, estimated_cost_usd, total_tokens, text, error } = step;
  const facts = [
    duration_ms !== null && durationText(duration_ms),
    total_tokens !== null && TEXT.units.tokens(total_tokens.toLocaleString()),
    estimated_cost_usd !== null && costText(estimated_cost_usd),
  ].filter((fact) => fact !== false);
  return (
    <div class="compare-cell" role="group" aria-label={letter}>
      <p class="soft small numbers">
        <b>{letter}</b> {facts.join(" · ")}
      </p>
      {error !== null && <p class="problem">{shownText(error)}</p>}
      {text !== "" && <p class="compare-preview">{shownText(text)}</p>}
    </div>
  );
}
