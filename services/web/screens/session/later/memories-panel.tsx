import { useEffect, useRef, useState } from "preact/hooks";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { api } from "../../../api/client.ts";
import { RemoteState } from "../../../parts/remote-state.tsx";
import { useRemote } from "../../../parts/use-remote.ts";
import { MemoryCard, type Memory } from "../../memories/memory-card.tsx";
import { MEMORY_TEXT } from "../../memories/memory-text.ts";
import { MEMORIES_ANCHOR } from "../follow-ups-part.tsx";
import type { SessionStore } from "../session-store.ts";

/** What was learned from a session and what its agents got of earlier ones; closed until the reader wants to know. */
export function MemoriesPanel({ store }: { readonly store: SessionStore }) {
  const isNamed = () => location.hash === `#${MEMORIES_ANCHOR}`;
  const [isOpen, setOpen] = useState(isNamed);
  const place = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const follow = () => {
      if (!isNamed()) return;
      setOpen(true);
      place.current?.scrollIntoView();
    };
    follow();
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  return (
    <details
      ref={place}
      id={MEMORIES_ANCHOR}
      class="follow-up-panel follow-up-text"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <h2>{MEMORY_TEXT.panel}</h2>
      </summary>
      {isOpen && <Memories store={store} />}
    </details>
  );
}

/** Read again when work after the end of the session is over: it may have taught something. */
function Memories({ store }: { readonly store: SessionStore }) {
  const { id } = store;
  const version = store.version.value;
  const { stages, followUps } = store.fold.view;
  const isRunning = version >= 0 && stages.length > 0 && store.fold.view.endedAt === undefined;
  const over = followUps.filter(({ status }) => isTerminal(status)).length;
  const remote = useRemote(`${id} ${over} ${isRunning}`, async (signal) => {
    const params = { id };
    const [learned, injected] = await Promise.all([
      api.call("GET /api/v1/sessions/:id/memories", { params, signal }),
      api.call("GET /api/v1/sessions/:id/injected-memories", { params, signal }),
    ]);
    return { learned, injected };
  });
  const { value } = remote;
  return (
    <>
      <RemoteState remote={remote} />
      {value !== undefined && (
        <>
          <List
            title={MEMORY_TEXT.learned}
            memories={value.learned}
            empty={MEMORY_TEXT.nothingLearned}
            isOwn
          />
          <List
            title={MEMORY_TEXT.injected}
            memories={value.injected}
            empty={MEMORY_TEXT.nothingTold}
            isOwn={false}
          />
          <p class="small">
            {value.learned.length > 0 && <a href={`/memories?source=${id}`}>{MEMORY_TEXT.learnedLink}</a>}{" "}
            <a href="/memories">{MEMORY_TEXT.allLink}</a>
          </p>
        </>
      )}
    </>
  );
}

interface ListProps {
  readonly title: string;
  readonly memories: readonly Memory[];
  readonly empty: string;
  /** They were learned from the session that is shown. */
  readonly isOwn: boolean;
}

function List({ title, memories, empty, isOwn }: ListProps) {
  return (
    <section class="memories-part" aria-label={title}>
      <h3>
        {title} <span class="soft small numbers">{memories.length}</span>
      </h3>
      {memories.length === 0 && <p class="soft small">{empty}</p>}
      <ul class="memories">
        {memories.map((memory) => (
          <li key={memory.memory_id}>
            <MemoryCard memory={memory} hasSource={!isOwn} />
          </li>
        ))}
      </ul>
    </section>
  );
}
