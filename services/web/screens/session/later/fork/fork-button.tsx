import { endOfEntry } from "../../../../session/end-of-entry.ts";
import { lanesOf, type TimelineEntry } from "../../../../session/session-view.ts";
import type { SessionStore } from "../../session-store.ts";
import { FORK_TEXT } from "./fork-text.ts";

interface ForkButtonProps {
  readonly store: SessionStore;
  readonly entry: Pick<TimelineEntry, "id" | "executionId">;
}

/** Prepares a fork from the end of the step that completed an entry of the investigation. */
export function ForkButton({ store, entry }: ForkButtonProps) {
  const isOfInvestigation = lanesOf(store.view.value).some(
    ({ executionId }) => executionId === entry.executionId,
  );
  if (!mayFork(store) || !isOfInvestigation) return null;
  return (
    <button
      type="button"
      class="button plain small entry-copy"
      onClick={() => (store.forkAt.value = endOfEntry(store.events, entry.id))}
    >
      {FORK_TEXT.button}
    </button>
  );
}

/** True for those who may submit alerts, unless the numbers of the events are not those of the api. */
export function mayFork({ facts, hasOtherNumbers }: SessionStore): boolean {
  return facts.value?.may_fork === true && !hasOtherNumbers;
}
