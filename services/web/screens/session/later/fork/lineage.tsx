import { StatusDot } from "../../../../parts/status-dot.tsx";
import { Moment } from "../../../../parts/time.tsx";
import { shortId } from "../../../../parts/format.ts";
import { shownText } from "../../../../session/shown-text.ts";
import type { SessionFacts } from "../../session-store.ts";
import { FORK_TEXT } from "./fork-text.ts";
import "./lineage.css";

type ForkOrigin = NonNullable<SessionFacts["forked_from"]>;

/** From which session this one was forked, and which were forked from it. */
export function Lineage({ facts }: { readonly facts: SessionFacts }) {
  const { id, forked_from: origin, forks } = facts;
  return (
    <div class="lineage small">
      {origin !== null && (
        <p>
          {FORK_TEXT.from} <Forked of={origin} at={`?at=${origin.at_seq}`} />{" "}
          <Compare a={origin.session_id} b={id} />
        </p>
      )}
      {forks.length > 0 && (
        <details open={forks.length === 1}>
          <summary>{FORK_TEXT.count(forks.length)}</summary>
          <ul>
            {forks.map((fork) => (
              <li key={fork.session_id}>
                <StatusDot status={fork.status} compact /> <Forked of={fork} /> ·{" "}
                <Moment time={fork.created_at} /> <Compare a={id} b={fork.session_id} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

interface ForkedProps {
  readonly of: Pick<ForkOrigin, "session_id" | "at_seq" | "tools" | "changes">;
  /** The query of the link. */
  readonly at?: string;
}

/** The other session of a fork, and in what the fork differs. */
function Forked({ of, at = "" }: ForkedProps) {
  const { session_id, at_seq, tools, changes } = of;
  return (
    <>
      <a href={`/s/${session_id}${at}`} title={session_id}>
        {shortId(session_id)}
      </a>{" "}
      {FORK_TEXT.at(at_seq)} · {FORK_TEXT.modes[tools]} · {changesText(changes)}
    </>
  );
}

function Compare({ a, b }: { readonly a: string; readonly b: string }) {
  return (
    <a class="button" href={`/compare/${a}/${b}`}>
      {FORK_TEXT.compare}
    </a>
  );
}

/** What was changed in a fork, in words. */
function changesText(changes: ForkOrigin["changes"]): string {
  const { llm_provider, model, custom_instructions, max_iterations, tool_result } = changes;
  const texts = [
    llm_provider !== undefined && FORK_TEXT.changes.llm_provider(shownText(llm_provider)),
    model !== undefined && FORK_TEXT.changes.model(shownText(model)),
    custom_instructions !== undefined && FORK_TEXT.changes.custom_instructions(),
    max_iterations !== undefined && FORK_TEXT.changes.max_iterations(String(max_iterations)),
    tool_result !== undefined && FORK_TEXT.changes.tool_result(),
  ].filter((text) => text !== false);
  return texts.length === 0 ? FORK_TEXT.noChanges : texts.join(", ");
}
