import { personName } from "#shared/client/person-name.ts";
import { lanesOf, type SessionView } from "../../../session/session-view.ts";
import { shownText } from "../../../session/shown-text.ts";
import { laneName } from "../lane-column.tsx";
import type { SessionFacts } from "../session-store.ts";
import { LATER_TEXT } from "./later-text.ts";
import "./message-box.css";

const TEXTS = LATER_TEXT.steering;

interface UnreadProps {
  readonly messages: SessionFacts["unread_messages"];
  readonly view: SessionView;
}

/** The messages to the agents that these have not read yet. */
export function Unread({ messages, view }: UnreadProps) {
  if (messages.length === 0) return null;
  const lanes = lanesOf(view);
  const nameOf = (id: string) => {
    const lane = lanes.find(({ executionId }) => executionId === id);
    return lane === undefined ? id : laneName(lane);
  };
  return (
    <>
      <h3>{TEXTS.unread}</h3>
      <ul class="unread">
        {messages.map(({ message_id, mode, content, author, execution_ids }) => (
          <li key={message_id}>
            <b>{TEXTS.modes[mode]}</b> {content !== undefined && shownText(content)}{" "}
            <span class="soft small">
              {TEXTS.by(shownText(personName(author)))},{" "}
              {TEXTS.for(execution_ids === null ? TEXTS.next : execution_ids.map(nameOf).join(", "))}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
