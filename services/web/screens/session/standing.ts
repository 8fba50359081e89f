import { sessionState, type DisplayedState } from "#shared/client/session-state.ts";
import { openApprovals, type AgentLane } from "../../session/session-view.ts";
import type { SessionStore } from "./session-store.ts";

/** How the session stands at the moment that is shown, in the words of list and terminal. */
export function stateOf({ view, facts, at, isReading }: SessionStore): DisplayedState {
  const { status, parked, ...shown } = view.value;
  const now = at.value === undefined ? facts.value : undefined;
  return sessionState({
    status,
    // No event tells that it is to be parked after its step.
    parked: parked ?? (now?.parked?.at === undefined ? now?.parked : undefined),
    // Until the events are read only the first answer knows what waits.
    openApprovals: isReading.value ? (now?.approvals.length ?? 0) : openApprovals(shown).length,
    failing: now?.failing,
  });
}

/** How a stage or an agent of it stands: one that does nothing now is not running. */
export function standing(status: string, lanes: readonly AgentLane[], store: SessionStore): string {
  if (status !== "active") return status;
  const { kind } = stateOf(store);
  if (kind === "parked") return kind;
  const isOpen = ({ entries }: AgentLane) =>
    entries.some(({ approval }) => approval?.state === "awaiting_approval");
  return kind === "needs_approval" && lanes.some(isOpen) ? kind : status;
}
