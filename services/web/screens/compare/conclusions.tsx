import { ModelText } from "../session/model-text.tsx";
import { durationText } from "../../parts/format.ts";
import { StatusDot } from "../../parts/status-dot.tsx";
import { Moment } from "../../parts/time.tsx";
import { TEXT } from "../../text.ts";
import { costText, sideTitle, type Comparison } from "./figures.tsx";
import { COMPARE_TEXT } from "./compare-text.ts";

/** To what two sessions came. */
export function Conclusions({ comparison: { a, b } }: { readonly comparison: Comparison }) {
  return (
    <section aria-labelledby="compare-conclusions">
      <h2 id="compare-conclusions">{COMPARE_TEXT.conclusions}</h2>
      <div class="compare-columns">
        <OneConclusion letter="A" side={a} />
        <OneConclusion letter="B" side={b} />
      </div>
    </section>
  );
}

interface OneConclusionProps {
  readonly letter: string;
  readonly side: Comparison["a"];
}

function OneConclusion({ letter, side }: OneConclusionProps) {
  const { executive_summary: summary, final_analysis: analysis, status, duration_ms } = side;
  return (
    <div class="compare-conclusion" role="group" aria-label={letter}>
      <h3>
        <a href={`/s/${side.session_id}`}>{COMPARE_TEXT.side(letter, sideTitle(side))}</a>
      </h3>
      <p class="compare-facts small soft">
        <StatusDot status={status} /> <Moment time={side.created_at} />
        {duration_ms !== null && <span class="numbers">{durationText(duration_ms)}</span>}
        <span class="numbers">{costText(side.estimated_cost_usd)}</span>
      </p>
      {summary !== null && <ModelText text={summary} isMarkdown label={TEXT.session.summary} />}
      {analysis !== null && (
        <details open={summary === null}>
          <summary>{TEXT.session.analysis}</summary>
          <ModelText text={analysis} isMarkdown label={TEXT.session.analysis} />
        </details>
      )}
      {summary === null && analysis === null && <p class="soft">{COMPARE_TEXT.noConclusion}</p>}
    </div>
  );
}
