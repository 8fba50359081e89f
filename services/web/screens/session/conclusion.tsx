import { isTerminal } from "#shared/contracts/statuses.ts";
import { Markdown } from "../../parts/markdown.tsx";
import { laneErrors } from "../../session/lane-errors.ts";
import { finalAnalysis, type SessionView } from "../../session/session-view.ts";
import { shownText } from "../../session/shown-text.ts";
import { TEXT } from "../../text.ts";
import { ModelText } from "./model-text.tsx";
import "./conclusion.css";

/** What the investigation came to: why it failed if it did, the summary, then the whole analysis. */
export function Conclusion({ view }: { readonly view: SessionView }) {
  const { status, error, summary } = view;
  const isOver = isTerminal(status);
  const analysis = isOver ? finalAnalysis(view) : undefined;
  if (!isOver && summary === undefined) return null;
  const hasConclusion = summary !== undefined || analysis !== undefined;
  return (
    <section class={`conclusion ${status}`} aria-labelledby="conclusion-title">
      <h2 id="conclusion-title">{hasConclusion ? TEXT.session.conclusion : TEXT.session.noConclusion}</h2>
      {error !== undefined && (
        <p class="problem">
          <b>{TEXT.session.failed}:</b> {shownText(error)}
        </p>
      )}
      {status === "failed" && <Causes view={view} />}
      {summary !== undefined && <Markdown source={summary.content} />}
      {analysis !== undefined && (
        <details open>
          <summary>
            <h3>{TEXT.session.analysis}</h3>
          </summary>
          <ModelText text={analysis.content} isMarkdown label={TEXT.session.analysis} />
        </details>
      )}
    </section>
  );
}

/** What went wrong in the agents: the session's own error only says that they failed. */
function Causes({ view }: { readonly view: SessionView }) {
  const causes = laneErrors(view);
  if (causes.length === 0) return null;
  return (
    <ul class="causes">
      {causes.map(({ error, agents }) => (
        <li key={error}>
          <b>{agents.map(shownText).join(", ")}:</b> {shownText(error)}
        </li>
      ))}
    </ul>
  );
}
