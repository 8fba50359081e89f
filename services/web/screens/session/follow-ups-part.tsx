import { laterPart } from "../../parts/later-part.tsx";
import { loadRare } from "../load-rare.ts";
import type { SessionStore } from "./session-store.ts";

const FollowUps = laterPart(async () => (await loadRare()).FollowUps);

/** The places of its parts in the address. */
export const CHAT_ANCHOR = "chat";

interface FollowUpsPartProps {
  readonly store: SessionStore;
  readonly target: string | undefined;
}

/** What was learned from a session, what is thought of it, and what is asked about it. */
export function FollowUpsPart({ store, target }: FollowUpsPartProps) {
  const facts = store.facts.value;
  const hasEnded = store.view.value.endedAt !== undefined;
  if (facts === undefined || (!hasEnded && !facts.memory_enabled)) return null;
  return <FollowUps store={store} facts={facts} target={target} />;
}
