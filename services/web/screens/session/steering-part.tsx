import { laterPart } from "../../parts/later-part.tsx";
import { loadRare } from "../load-rare.ts";
import type { SessionStore } from "./session-store.ts";

const SteeringBox = laterPart(async () => (await loadRare()).SteeringBox);
const Unread = laterPart(async () => (await loadRare()).Unread);

/** What a person may tell the agents, while there is someone to tell; of an earlier moment what they had not read then. */
export function SteeringPart({ store }: { readonly store: SessionStore }) {
  const facts = store.facts.value;
  const { status } = store.view.value;
  const isRunning = status === "pending" || status === "in_progress";
  if (!isRunning || facts === undefined) return null;
  if (store.at.value !== undefined) {
    const messages = store.past.value?.facts?.unread_messages ?? [];
    return messages.length > 0 ? <Unread messages={messages} view={store.view.value} /> : null;
  }
  return <SteeringBox store={store} facts={facts} />;
}
