import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { messageTitle } from "#shared/client/person-name.ts";
import { Guard } from "../../parts/guard.tsx";
import { Age, Duration } from "../../parts/time.tsx";
import { anchorOf } from "../../session/anchor-of.ts";
import { argumentsLine } from "../../session/describe-entry.ts";
import { setOpen } from "../../session/open-entries.ts";
import type { RowHeights } from "../../session/row-heights.ts";
import type { TimelineEntry } from "../../session/session-view.ts";
import { previewOf } from "../../session/preview-of.ts";
import { shownText } from "../../session/shown-text.ts";
import { TEXT } from "../../text.ts";
import { EntryBody } from "./entry-body.tsx";
import { onHeightChange } from "./near-view.ts";
import { RunTime } from "./run-time.tsx";
import type { SessionStore } from "./session-store.ts";
import "./entry-row.css";

const LABELS: Readonly<Record<string, string>> = {
  ...TEXT.session.entry,
  llm_thinking: TEXT.session.entry.thought,
  llm_response: TEXT.session.entry.response,
  llm_tool_call: TEXT.session.entry.call,
};
/** The marks at the end of a line: a failure has its word, too. */
const ENDS: Readonly<Record<string, string>> = {
  completed: "✓",
  failed: "✕",
  cancelled: "⊘",
  timed_out: "◔",
};
const STATUS_TEXTS: Readonly<Record<string, string>> = TEXT.statuses;

export interface EntryRowProps {
  readonly entry: TimelineEntry;
  readonly store: SessionStore;
  /** Whether it shows more than its line. */
  readonly opens: boolean;
  /** The entry that the address or the search names. */
  readonly isTarget: boolean;
  /** Where the heights of open rows are kept. */
  readonly heights: RowHeights;
}

/** One thing that an agent did: a line, and below it what it consists of once it is open. */
export function EntryRow({ entry, store, opens, isTarget, heights }: EntryRowProps) {
  const anchor = anchorOf(entry.id);
  const row = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (!opens || row.current === null) return undefined;
    return onHeightChange(row.current, (height) => heights.measure(entry.id, height));
  }, [opens, entry.id, heights]);
  const body = useMemo(
    () => (opens ? <EntryBody entry={entry} store={store} /> : null),
    [opens, entry, store],
  );
  return (
    <article
      ref={row}
      id={anchor}
      class={`entry ${entry.type} ${entry.status} ${isTarget ? "target" : ""}`}
      aria-current={isTarget ? "location" : undefined}
    >
      <button
        type="button"
        class="entry-line"
        aria-expanded={opens}
        aria-controls={opens ? `${anchor}-body` : undefined}
        onClick={() => (store.open.value = setOpen(store.open.value, entry.id, !opens))}
      >
        <span class="entry-fold" aria-hidden="true" />
        <EntryLine entry={entry} store={store} opens={opens} />
        <EntryEnd entry={entry} store={store} />
      </button>
      {opens && (
        <div key={entry.id} class="entry-body" id={`${anchor}-body`}>
          <Guard subject={entry}>{body}</Guard>
        </div>
      )}
    </article>
  );
}

/** What a running call has reached, in its own words; until then its arguments. */
function Progress({ entry, store }: Pick<EntryRowProps, "entry" | "store">) {
  const isNow = store.version.value >= 0 && store.at.value === undefined;
  const reached = isNow ? store.fold.toolProgress(entry.id) : undefined;
  if (reached === undefined) return <>{shownText(argumentsLine(entry.call?.arguments ?? ""))}</>;
  const { message, progress, total } = reached;
  const count = total === undefined ? "" : ` (${progress}/${total})`;
  return <>{`${shownText(message ?? TEXT.session.running)}${count}`}</>;
}

function EntryLine({ entry, store, opens }: Pick<EntryRowProps, "entry" | "store" | "opens">) {
  const { type, call, approval, content } = entry;
  if (call !== undefined) {
    return (
      <span class="entry-what mono">
        <b>{shownText(call.server === "" ? call.tool : `${call.server}.${call.tool}`)}</b>{" "}
        {!opens && (
          <span class="soft">
            {entry.status === "streaming" ? (
              <Progress entry={entry} store={store} />
            ) : (
              shownText(argumentsLine(call.arguments))
            )}
          </span>
        )}
      </span>
    );
  }
  const title = type === "user_question" ? messageTitle(entry.metadata) : undefined;
  const label = title === undefined ? (LABELS[type] ?? TEXT.session.entry.other) : shownText(title);
  const preview = approval === undefined ? previewOf(content) : shownText(approval.tool);
  return (
    <span class="entry-what">
      <b>{label}</b> {!opens && <span class="soft">{preview}</span>}
    </span>
  );
}

function EntryTime({ entry, store }: Pick<EntryRowProps, "entry" | "store">) {
  const { durationMs, startedAt, endedAt } = entry;
  if (durationMs !== undefined) return <Duration ms={durationMs} />;
  return <RunTime since={startedAt} until={endedAt} store={store} />;
}

function EntryEnd({ entry, store }: Pick<EntryRowProps, "entry" | "store">) {
  const { status, call, type } = entry;
  const isTimed = call !== undefined || type === "llm_thinking";
  return (
    <span class="entry-end">
      {entry.repeats !== undefined && (
        <span>
          {TEXT.session.repeats(entry.repeats)} <Age time={entry.startedAt} />
        </span>
      )}
      {isTimed && <EntryTime entry={entry} store={store} />}
      {(call !== undefined || status !== "completed") && (
        <span class={`entry-status ${status}`}>
          <span aria-hidden="true">{ENDS[status] ?? "…"}</span>
          <span class={status === "completed" || status === "streaming" ? "hidden-text" : ""}>
            {STATUS_TEXTS[status] ?? status}
          </span>
        </span>
      )}
    </span>
  );
}
