import { useLayoutEffect, useRef } from "preact/hooks";
import { CopyButton } from "../../parts/copy-button.tsx";
import { laterPart } from "../../parts/later-part.tsx";
import { anchorOf } from "../../session/anchor-of.ts";
import { plainError, shortArguments } from "../../session/describe-entry.ts";
import type { TimelineEntry } from "../../session/session-view.ts";
import { shownText } from "../../session/shown-text.ts";
import { TEXT } from "../../text.ts";
import { loadRare } from "../load-rare.ts";
import { ModelText } from "./model-text.tsx";
import { MEMORIES_ANCHOR } from "./follow-ups-part.tsx";
import { GrowingText } from "./growing-text.ts";
import { ResultView } from "./result-view.tsx";
import type { SessionStore } from "./session-store.ts";

const ApprovalQuestion = laterPart(async () => (await loadRare()).ApprovalQuestion);
const ForkButton = laterPart(async () => (await loadRare()).ForkButton);

interface EntryBodyProps {
  readonly entry: TimelineEntry;
  readonly store: SessionStore;
}

/** What an entry consists of. */
export function EntryBody({ entry, store }: EntryBodyProps) {
  return (
    <>
      <EntryContent entry={entry} store={store} />
      {entry.type === "memory_injected" && <a href={`#${MEMORIES_ANCHOR}`}>{TEXT.titles.memories}</a>}
      {entry.status !== "streaming" && (
        <>
          {(store.citations.value?.concluded.has(entry.id) === true ||
            store.followed.value?.entryId === entry.id) && <CitedLink entryId={entry.id} />}
          <CopyButton
            class="plain small entry-copy"
            label={TEXT.session.copyEntry}
            value={() => linkTo(store.id, entry.id)}
          />
          <ForkButton store={store} entry={entry} />
        </>
      )}
    </>
  );
}

/** The way back to where the conclusion names an entry. */
function CitedLink({ entryId }: { readonly entryId: string }) {
  const goBack = (event: MouseEvent) => {
    const link = document.querySelector<HTMLElement>(
      `.conclusion a[href="#${CSS.escape(anchorOf(entryId))}"]`,
    );
    // Without one, as in a folded analysis, the address leads to the conclusion.
    if (link === null || !link.checkVisibility()) return;
    event.preventDefault();
    link.scrollIntoView({ block: "center" });
    link.focus({ preventScroll: true });
  };
  return (
    <a class="small entry-cited" href="#conclusion-title" onClick={goBack}>
      {TEXT.session.cited}
    </a>
  );
}

/** The address of an entry, without the place in time at which it is shown. */
function linkTo(sessionId: string, entryId: string): string {
  return `${location.origin}/s/${sessionId}#${anchorOf(entryId)}`;
}

/** Texts of people and models; everything else is shown letter by letter. */
const MARKDOWN = new Set<TimelineEntry["type"]>(["llm_response", "final_analysis", "mcp_tool_summary"]);

/** The text of an entry, its call or its question. */
export function EntryContent({ entry, store }: EntryBodyProps) {
  const { call, approval, status, content, type } = entry;
  if (approval !== undefined) return <ApprovalQuestion entry={entry} approval={approval} store={store} />;
  if (call !== undefined) return <CallBody entry={entry} store={store} call={call} />;
  if (status === "streaming") {
    const isPast = store.at.value !== undefined;
    return isPast ? <p class="soft">{TEXT.session.noText}</p> : <LiveText entryId={entry.id} store={store} />;
  }
  return (
    <ModelText
      text={type === "error" ? plainError(content) : content}
      isMarkdown={MARKDOWN.has(type)}
      label={TEXT.session.text}
      link={type === "final_analysis" ? store.citations.value?.link : undefined}
    />
  );
}

/** The text of an open entry as it grows, outside of what the components render. */
function LiveText({ entryId, store }: { readonly entryId: string; readonly store: SessionStore }) {
  const place = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    return store.live.show(entryId, new GrowingText(current));
  }, [entryId, store]);
  return <p class="plain-text live" ref={place} />;
}

const NO_WORDS: readonly string[] = [];

interface CallBodyProps extends EntryBodyProps {
  readonly call: NonNullable<TimelineEntry["call"]>;
}

function CallBody({ entry, store, call }: CallBodyProps) {
  const { status, content } = entry;
  const cited = store.citations.value?.words.get(entry.id) ?? NO_WORDS;
  const followed = store.followed.value?.entryId === entry.id ? store.followed.value : undefined;
  const hasArguments = call.arguments.trim() !== "" && call.arguments.trim() !== "{}";
  return (
    <>
      {hasArguments && <Arguments written={call.arguments} cited={cited} />}
      {status === "streaming" ? (
        <CallProgress entryId={entry.id} store={store} />
      ) : (
        <ResultView
          text={content}
          label={TEXT.session.result}
          wraps={status === "failed"}
          cited={cited}
          spans={store.citations.value?.spans}
          followed={followed}
          empty={entry.endedAt !== undefined && status !== "completed" ? TEXT.session.noResult : undefined}
        />
      )}
    </>
  );
}

/** Few short arguments on one line, others as a tree. */
function Arguments({ written, cited }: { readonly written: string; readonly cited: readonly string[] }) {
  const line = shortArguments(written);
  if (line === undefined) return <ResultView text={written} label={TEXT.session.arguments} />;
  const isCited = cited.some((words) => line.includes(words));
  return (
    <p class="mono soft call-arguments">
      {isCited ? <mark class="cited">{shownText(line)}</mark> : shownText(line)}
    </p>
  );
}

function CallProgress({ entryId, store }: { readonly entryId: string; readonly store: SessionStore }) {
  const progress = store.version.value >= 0 ? store.fold.toolProgress(entryId) : undefined;
  if (store.at.value !== undefined || progress === undefined) {
    return <p class="soft">{TEXT.session.running}</p>;
  }
  return (
    <p class="soft">
      {progress.message === undefined ? TEXT.session.running : shownText(progress.message)}{" "}
      {progress.total !== undefined && (
        <progress
          value={progress.progress}
          max={progress.total}
          aria-label={TEXT.session.progressOf(progress.progress, progress.total)}
        />
      )}
    </p>
  );
}
