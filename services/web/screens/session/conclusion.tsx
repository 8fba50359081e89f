import { isTerminal } from "#shared/contracts/statuses.ts";
import { laterPart } from "../../parts/later-part.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { CancelledBy } from "../../parts/time.tsx";
import { laneErrors } from "../../session/lane-errors.ts";
import { finalAnalysis, lanesOf } from "../../session/session-view.ts";
import { shownText } from "../../session/shown-text.ts";
import { TEXT } from "../../text.ts";
import { loadRare } from "../load-rare.ts";
import { ModelText } from "./model-text.tsx";
import type { SessionStore } from "./session-store.ts";
import "./conclusion.css";

const CheckedConclusion = laterPart(async () => (await loadRare()).CheckedConclusion);

/** The texts of a conclusion, and why agents failed. */
interface Concluded {
  readonly summary: string | undefined;
  readonly analysis: string | undefined;
  readonly causes: ReturnType<typeof laneErrors>;
}

/** What a session came to as it is shown: by its events, and until these are read by what the API says of it. */
export function concludedOf(store: SessionStore): Concluded {
  const view = store.view.value;
  if (!store.isReading.value) {
    return {
      summary: view.summary?.content,
      analysis: finalAnalysis(view)?.content,
      causes: laneErrors(lanesOf(view)),
    };
  }
  const facts = store.at.value === undefined ? store.facts.value : undefined;
  const agents = (facts?.stages ?? [])
    .filter(({ stage_type }) => stage_type !== "chat" && stage_type !== "scoring")
    .flatMap(({ executions }) => executions.flatMap((one) => [one, ...(one.sub_agents ?? [])]));
  return {
    summary: facts?.executive_summary ?? undefined,
    analysis: facts?.final_analysis ?? undefined,
    causes: laneErrors(
      agents.map(({ agent_name, error_message }) => ({
        agent: agent_name,
        error: error_message ?? undefined,
      })),
    ),
  };
}

interface ConclusionProps {
  readonly store: SessionStore;
  readonly showEntry: (entryId: string) => void;
}

/** What the investigation came to: why it failed if it did, the summary, what shows it, then the whole analysis. */
export function Conclusion({ store, showEntry }: ConclusionProps) {
  const { status, error, conclusion } = store.view.value;
  const cancelled = store.facts.value?.cancelled;
  const { summary, analysis, causes } = concludedOf(store);
  const isOver = isTerminal(status);
  const shown = isOver ? analysis : undefined;
  const hasConclusion = [summary, shown, conclusion].some((part) => part !== undefined);
  if (!isOver && !hasConclusion) return null;
  const link = store.citations.value?.link;
  return (
    <section class={`conclusion ${status}`} aria-labelledby="conclusion-title">
      <h2 id="conclusion-title">{hasConclusion ? TEXT.session.conclusion : TEXT.session.noConclusion}</h2>
      {status === "cancelled" && (
        <p class="soft">
          {cancelled === undefined ? shownText(error ?? "") : <CancelledBy cancelled={cancelled} />}
        </p>
      )}
      {error !== undefined &&
        status !== "cancelled" &&
        !causes.some((cause) => error.endsWith(cause.error)) && (
          <p class="problem">
            <b>{TEXT.session.failed}:</b> {shownText(error)}
          </p>
        )}
      {status === "failed" && causes.length > 0 && <Causes causes={causes} />}
      {summary !== undefined && <Markdown source={summary} link={link} />}
      {conclusion !== undefined && (
        <CheckedConclusion store={store} conclusion={conclusion} showEntry={showEntry} />
      )}
      {shown !== undefined && (
        <details open>
          <summary>
            <h3>{TEXT.session.analysis}</h3>
          </summary>
          <ModelText text={shown} isMarkdown label={TEXT.session.analysis} link={link} />
        </details>
      )}
    </section>
  );
}

/** What went wrong in the agents: the session's own error only says that they failed. */
function Causes({ causes }: Pick<Concluded, "causes">) {
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
