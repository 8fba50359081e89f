import type { SessionStatus } from "#shared/contracts/statuses.ts";
import { laterPart } from "../../parts/later-part.tsx";
import { loadRare } from "../load-rare.ts";
import type { SessionFacts, SessionStore } from "./session-store.ts";

const FollowUps = laterPart(async () => (await loadRare()).FollowUps);

/** The places of its parts in the address. */
export const SCORE_ANCHOR = "score";
export const MEMORIES_ANCHOR = "memories";

/** True if the reader may ask about a session that has ended so. */
export function offersQuestions({ chat_enabled, may_ask }: SessionFacts, status: SessionStatus): boolean {
  return chat_enabled && may_ask && status !== "cancelled";
}

interface FollowUpsPartProps {
  readonly store: SessionStore;
  /** The entry that the address or the search names. */
  readonly target: string | undefined;
  /** Goes to that entry if it was not there before. */
  readonly reveal: () => void;
}

/** The alerts of a session's incident, what was learned from it, what is thought of it, and what is asked about it. */
export function FollowUpsPart({ store, target, reveal }: FollowUpsPartProps) {
  const facts = store.facts.value;
  const hasEnded = store.view.value.endedAt !== undefined;
  // It stands below what is still being read.
  if (facts === undefined || store.historyEnd.value === undefined) return null;
  if (!hasEnded && !facts.memory_enabled && facts.alert_group === undefined) return null;
  return <FollowUps store={store} facts={facts} target={target} reveal={reveal} />;
}
