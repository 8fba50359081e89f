import type { NumberedEvent } from "../../../session/session-message.ts";
import { allLanesOf, type SessionView } from "../../../session/session-view.ts";
import { shownText } from "../../../session/shown-text.ts";
import { TEXT } from "../../../text.ts";
import { LATER_TEXT } from "./later-text.ts";

const TEXTS = LATER_TEXT.events;
const ENTRIES: Readonly<Record<string, string>> = {
  ...TEXT.session.entry,
  llm_thinking: TEXT.session.entry.thought,
  llm_response: TEXT.session.entry.response,
  llm_tool_call: TEXT.session.entry.call,
};
const STATUSES: Readonly<Record<string, string>> = TEXT.statuses;

/** What happened in an event, in a few words; `view` is the session as of it, or later. */
export function describeEvent(event: NumberedEvent, view: SessionView): string {
  switch (event.type) {
    case "session.status":
    case "session.completed":
      return TEXTS.session(statusText(event.status));
    case "session.progress":
      return shownText(event.status_text);
    case "stage.started":
    case "stage.completed":
      return TEXTS.stage(shownText(event.stage_name ?? ""), statusText(event.status));
    case "execution.status":
      return TEXTS.of(shownText(event.agent_name), statusText(event.status));
    case "timeline_event.created":
      return TEXTS.of(agentOf(event.execution_id, view), createdText(event));
    case "timeline_event.completed":
      return completedText(event.event_id, event.status, view);
    case "approval.requested":
      return TEXTS.of(shownText(event.agent_name), TEXTS.asks(shownText(event.tool)));
    default:
      return TEXTS.others[event.type];
  }
}

function statusText(status: string): string {
  return STATUSES[status] ?? shownText(status);
}

function agentOf(executionId: string, view: SessionView): string {
  return shownText(allLanesOf(view).find((lane) => lane.executionId === executionId)?.agent ?? "");
}

type CreatedEntry = Extract<NumberedEvent, { type: "timeline_event.created" }>;

function createdText({ event_type, metadata }: CreatedEntry): string {
  const name = ENTRIES[event_type] ?? TEXT.session.entry.other;
  const tool = new Map<string, unknown>(Object.entries(metadata ?? {})).get("tool_name");
  return typeof tool === "string" ? `${name} ${shownText(tool)}` : name;
}

function completedText(eventId: string, status: string, view: SessionView): string {
  const entry = allLanesOf(view)
    .flatMap(({ entries }) => entries)
    .find(({ id }) => id === eventId);
  const name = ENTRIES[entry?.type ?? ""] ?? TEXT.session.entry.other;
  return TEXTS.of(agentOf(entry?.executionId ?? "", view), `${name}: ${statusText(status)}`);
}
