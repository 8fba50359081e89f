import { laterPart } from "../../parts/later-part.tsx";
import { loadRare } from "../load-rare.ts";
import type { SessionStore } from "./session-store.ts";

const SteeringBox = laterPart(async () => (await loadRare()).SteeringBox);

/** What a person may tell the agents, while there is someone to tell. */
export function SteeringPart({ store }: { readonly store: SessionStore }) {
  const facts = store.facts.value;
  const { status } = store.view.value;
  const isRunning = status === "pending" || status === "in_progress";
  if (!isRunning || facts === undefined || store.at.value !== undefined) return null;
  return <SteeringBox store={store} facts={facts} />;
}
