import { useLayoutEffect, useRef } from "preact/hooks";
import { CopyButton } from "../../parts/copy-button.tsx";
import { laterPart } from "../../parts/later-part.tsx";
import { anchorOf } from "../../session/anchor-of.ts";
import { shortArguments } from "../../session/describe-entry.ts";
import type { Entry } from "../../session/session-view.ts";
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
  readonly entry: Entry;
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

/** The address of an entry, without the place in time at which it is shown. */
function linkTo(sessionId: string, entryId: string): string {
  return `${location.origin}/s/${sessionId}#${anchorOf(entryId)}`;
}

/** Texts of people and models; everything else is shown letter by letter. */
const MARKDOWN = new Set<Entry["type"]>(["llm_response", "final_analysis", "mcp_tool_summary"]);

/** The text of an entry, its call or its question. */
export function EntryContent({ entry, store }: EntryBodyProps) {
  const { call, approval, status, content, type } = entry;
  if (approval !== undefined) return <ApprovalQuestion approval={approval} store={store} />;
  if (call !== undefined) return <CallBody entry={entry} store={store} call={call} />;
  if (status === "streaming") {
    const isPast = store.at.value !== undefined;
    return isPast ? <p class="soft">{TEXT.session.noText}</p> : <LiveText entryId={entry.id} store={store} />;
  }
  return <ModelText text={content} isMarkdown={MARKDOWN.has(type)} label={TEXT.session.text} />;
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

interface CallBodyProps extends EntryBodyProps {
  readonly call: NonNullable<Entry["call"]>;
}

function CallBody({ entry, store, call }: CallBodyProps) {
  const { status, content } = entry;
  const hasArguments = call.arguments.trim() !== "" && call.arguments.trim() !== "{}";
  return (
    <>
      {hasArguments && <Arguments written={call.arguments} />}
      {status === "streaming" ? (
        <CallProgress entryId={entry.id} store={store} />
      ) : (
        <ResultView
          text={content}
          label={TEXT.session.result}
          wraps={status === "failed"}
          empty={entry.endedAt !== undefined && status !== "completed" ? TEXT.session.noResult : undefined}
        />
      )}
    </>
  );
}

/** Few short arguments on one line, others as a tree. */
function Arguments({ written }: { readonly written: string }) {
  const line = shortArguments(written);
  if (line === undefined) return <ResultView text={written} label={TEXT.session.arguments} />;
  return <p class="mono soft call-arguments">{shownText(line)}</p>;
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
