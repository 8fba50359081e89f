import { useEffect, useState } from "preact/hooks";
import { lanesOf, type StageView } from "../../../session/session-view.ts";
import type { SessionStore } from "../session-store.ts";
import { StageBand } from "../stage-band.tsx";
import { LATER_TEXT } from "./later-text.ts";

interface JudgeWorkProps {
  /** Scorings, and what was learned from feedback. */
  readonly stages: readonly StageView[];
  readonly store: SessionStore;
  /** The entry that the address or the search names. */
  readonly target: string | undefined;
  /** Goes to that entry if it was not there before. */
  readonly reveal: () => void;
}

/** What the judge of a session was doing, step by step; closed unless the reader looks for a part of it. */
export function JudgeWork({ stages, store, target, reveal }: JudgeWorkProps) {
  const [isOpen, setOpen] = useState(false);
  const [seenTarget, setSeenTarget] = useState<string>();
  const isNamed = lanesOf({ stages }).some(({ entries }) => entries.some(({ id }) => id === target));
  const wanted = isNamed ? target : undefined;
  if (wanted !== seenTarget) {
    // The reader may close it again.
    setSeenTarget(wanted);
    if (wanted !== undefined) setOpen(true);
  }
  useEffect(reveal);
  if (stages.length === 0) return null;
  return (
    <details
      class="follow-up-text"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <h3>{LATER_TEXT.score.work}</h3>
      </summary>
      {isOpen &&
        stages.map((stage) => <StageBand key={stage.id} stage={stage} store={store} target={target} />)}
    </details>
  );
}
