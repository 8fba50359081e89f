import { useState } from "preact/hooks";
import { isTerminal, type SteeringMode } from "#shared/contracts/statuses.ts";
import { api } from "../../../api/client.ts";
import { lanesOf } from "../../../session/session-view.ts";
import { laneName } from "../lane-column.tsx";
import type { SessionFacts, SessionStore } from "../session-store.ts";
import { LATER_TEXT } from "./later-text.ts";
import { MessageField } from "./message-field.tsx";
import { Problem } from "./problem.tsx";
import { Unread } from "./unread.tsx";
import { useSending } from "./use-sending.ts";
import "./message-box.css";

const MAX_CHARACTERS = 4_000;
const TEXTS = LATER_TEXT.steering;

interface SteeringBoxProps {
  readonly store: SessionStore;
  readonly facts: SessionFacts;
}

/** What a person may tell the agents of a running session, and what they have not read yet. */
export function SteeringBox({ store, facts }: SteeringBoxProps) {
  const [text, setText] = useState("");
  const [chosen, choose] = useState("");
  const [isSent, setSent] = useState(false);
  const { isSending, problem, send } = useSending();
  const lanes = lanesOf(store.view.value);
  const running = lanes.filter(({ status }) => !isTerminal(status));
  // The agent that was chosen may have ended: the message is then for all again.
  const to = running.find(({ executionId }) => executionId === chosen);
  const hasText = text.trim() !== "";
  const tell = async (mode: SteeringMode) => {
    setSent(false);
    const content = mode === "skip_tool" || !hasText ? {} : { content: text };
    const isDone = await send(async () => {
      await api.call("POST /api/v1/sessions/:id/messages", {
        params: { id: store.id },
        body: { mode, ...content, ...(to === undefined ? {} : { execution_id: to.executionId }) },
        headers: { "idempotency-key": crypto.randomUUID() },
      });
    });
    if (!isDone) return;
    if (mode !== "skip_tool") setText("");
    setSent(true);
    await store.readFacts();
  };
  return (
    <section class="message-box" aria-labelledby="steering-title">
      <h2 id="steering-title">{TEXTS.title}</h2>
      {!facts.may_change && <p class="soft">{TEXTS.notAllowed}</p>}
      <fieldset disabled={!facts.may_change || isSending}>
        <MessageField
          id="steering-text"
          label={LATER_TEXT.write}
          value={text}
          maxLength={MAX_CHARACTERS}
          setValue={setText}
          send={() => hasText && void tell("note")}
        />
        <label class="small">
          {TEXTS.to}{" "}
          <select value={to?.executionId ?? ""} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            <option value="">{TEXTS.all}</option>
            {running.map((lane) => (
              <option key={lane.executionId} value={lane.executionId}>
                {laneName(lane)}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="button" disabled={!hasText} onClick={() => void tell("note")}>
          {TEXTS.note}
        </button>
        <button type="button" class="button" title={TEXTS.concludeHint} onClick={() => void tell("conclude")}>
          {TEXTS.conclude}
        </button>
        <button type="button" class="button" title={TEXTS.skipHint} onClick={() => void tell("skip_tool")}>
          {TEXTS.skip}
        </button>
        <span class="soft small" role="status">
          {isSent ? TEXTS.sent : TEXTS.hint}
        </span>
      </fieldset>
      <Problem text={problem} />
      <Unread messages={facts.unread_messages} view={store.view.value} />
    </section>
  );
}
