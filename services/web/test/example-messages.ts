import { SessionFold } from "../session/fold-events.ts";
import { isSessionMessage, isStoredMessage, type NumberedEvent } from "../session/session-message.ts";

/** Messages as they are stored, a second apart unless they name their time; throws for one that the page does not take. */
export function stored(...messages: readonly Readonly<Record<string, unknown>>[]): NumberedEvent[] {
  return messages.map((members, position) => {
    const message: unknown = { session_id: "s", timestamp: at(position), seq: position + 1, ...members };
    if (!isStoredMessage(message)) throw new Error(`not a message: ${JSON.stringify(members)}`);
    return message;
  });
}

/** Applies messages with the members that all of them have; throws for one that the page does not take. */
export function fold(...messages: readonly Readonly<Record<string, unknown>>[]): SessionFold {
  const folded = new SessionFold();
  for (const [position, members] of messages.entries()) {
    const message: unknown = { session_id: "s", timestamp: at(position), seq: position + 1, ...members };
    if (!isSessionMessage(message)) throw new Error(`not a message: ${JSON.stringify(members)}`);
    folded.apply(message);
  }
  return folded;
}

/** The time of the message at a position, one second after the one before. */
export const at = (second: number) => new Date(Date.UTC(2026, 0, 31, 12, 0, second)).toISOString();
/** A stage of two agents begins. */
export const stage = {
  type: "stage.started",
  stage_id: "st",
  stage_name: "look",
  stage_index: 1,
  status: "active",
  expected_agent_count: 2,
};
/** An agent of that stage has a status. */
export const agent = (execution_id: string, agent_index: number, status = "active") => ({
  type: "execution.status",
  stage_id: "st",
  execution_id,
  agent_name: `agent ${agent_index}`,
  agent_index,
  status,
});
/** An agent adds an entry, by default a whole one of its first agent. */
export const created = (event_id: string, event_type: string, members: object = {}) => ({
  type: "timeline_event.created",
  event_id,
  stage_id: "st",
  execution_id: "x1",
  event_type,
  status: "completed",
  content: event_id,
  metadata: null,
  sequence_number: 1,
  ...members,
});
