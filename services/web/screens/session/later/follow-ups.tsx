import { useEffect } from "preact/hooks";
import type { SessionFacts, SessionStore } from "../session-store.ts";
import { ChatLane } from "./chat-lane.tsx";
import { IncidentPanel } from "./incident-panel.tsx";
import { MemoriesPanel } from "./memories-panel.tsx";
import { ReviewPanel } from "./review-panel.tsx";
import { ScorePanel } from "./score-panel.tsx";

interface FollowUpsProps {
  readonly store: SessionStore;
  readonly facts: SessionFacts;
  /** The entry that the address or the search names. */
  readonly target: string | undefined;
  /** Goes to that entry if it was not there before. */
  readonly reveal: () => void;
}

/** What belongs to an investigation: the alerts of its incident, its score, what was learned from it, and the questions about it. */
export function FollowUps({ store, facts, target, reveal }: FollowUpsProps) {
  const hasEnded = store.view.value.endedAt !== undefined;
  useEffect(reveal);
  return (
    <>
      {facts.alert_group && <IncidentPanel id={store.id} group={facts.alert_group} />}
      {hasEnded && <ReviewPanel store={store} facts={facts} />}
      {hasEnded && <ScorePanel store={store} facts={facts} target={target} reveal={reveal} />}
      {facts.memory_enabled && <MemoriesPanel store={store} />}
      {hasEnded && <ChatLane store={store} facts={facts} target={target} />}
    </>
  );
}
