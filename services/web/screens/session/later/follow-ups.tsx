import type { SessionFacts, SessionStore } from "../session-store.ts";
import { ChatLane } from "./chat-lane.tsx";

interface FollowUpsProps {
  readonly store: SessionStore;
  readonly facts: SessionFacts;
  /** The entry that the address or the search names. */
  readonly target: string | undefined;
}

/** What follows an investigation: its score, what was learned from it, and the questions about it. */
export function FollowUps({ store, facts, target }: FollowUpsProps) {
  const hasEnded = store.view.value.endedAt !== undefined;
  return <>{hasEnded && <ChatLane store={store} facts={facts} target={target} />}</>;
}
