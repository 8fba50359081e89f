import { useRef, useState } from "preact/hooks";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { api } from "../../../api/client.ts";
import { useKeys } from "../../../keys.ts";
import type { SessionFacts, SessionStore } from "../session-store.ts";
import { LATER_TEXT } from "./later-text.ts";
import { MessageField } from "./message-field.tsx";
import { Problem } from "./problem.tsx";
import { useSending } from "./use-sending.ts";

/** As many characters as the api takes in a question. */
const MAX_CHARACTERS = 100_000;
const TEXTS = LATER_TEXT.chat;

/** Questions that were begun, by session: a reader may look something up before asking. */
const drafts = new Map<string, string>();

interface QuestionBoxProps {
  readonly store: SessionStore;
  readonly facts: SessionFacts;
}

/** Where a question is written, and the answer to the latest one can be cancelled. What was typed stays until the api has it. */
export function QuestionBox({ store, facts }: QuestionBoxProps) {
  const [text, setText] = useState(drafts.get(store.id) ?? "");
  const place = useRef<HTMLFormElement>(null);
  const { isSending, problem, send } = useSending();
  const length = lengthOf(text);
  const isTooLong = length > MAX_CHARACTERS;
  const write = (next: string) => {
    setText(next);
    if (next === "") drafts.delete(store.id);
    else drafts.set(store.id, next);
  };
  const ask = async () => {
    if (text.trim() === "" || isTooLong) return;
    const isTaken = await send(async () => {
      await api.call("POST /api/v1/sessions/:id/chat/messages", {
        params: { id: store.id },
        body: { content: text },
      });
    });
    // What was written meanwhile is the next question.
    if (isTaken && drafts.get(store.id) === text) write("");
  };
  useKeys({ q: [TEXTS.key, () => place.current?.querySelector("textarea")?.focus()] });
  const open = store.view.value.followUps.find(({ type, status }) => type === "chat" && !isTerminal(status));
  return (
    <form
      ref={place}
      class="question-box"
      aria-busy={isSending}
      onSubmit={(event) => {
        event.preventDefault();
        void ask();
      }}
    >
      <MessageField
        id="question-text"
        label={TEXTS.write}
        value={text}
        describedBy="question-hint question-length"
        setValue={write}
        send={() => void ask()}
      />
      <button type="submit" class="button" disabled={text.trim() === "" || isTooLong || isSending}>
        {TEXTS.ask}
      </button>
      {open !== undefined && facts.may_change && <CancelAnswer key={open.id} store={store} />}
      <span id="question-hint" class="soft small">
        {open === undefined ? TEXTS.hint : TEXTS.oneAtATime}
      </span>
      <span id="question-length" class={`small numbers ${isTooLong ? "problem" : "soft"}`}>
        {text !== "" && TEXTS.length(length.toLocaleString(), MAX_CHARACTERS.toLocaleString())}
      </span>
      <Problem text={problem} />
    </form>
  );
}

/** Characters as the api counts them. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** Ends the answer that is being written. */
function CancelAnswer({ store }: { readonly store: SessionStore }) {
  const { isSending, problem, send } = useSending();
  const [isAsked, setAsked] = useState(false);
  const cancel = async () => {
    // An answer that has ended meanwhile is answered 409, and its end is shown.
    const request = { params: { id: store.id }, accepts: [409] };
    setAsked(await send(async () => api.call("POST /api/v1/sessions/:id/cancel", request)));
  };
  return (
    <>
      <button
        type="button"
        class="button danger"
        disabled={isSending || isAsked}
        onClick={() => void cancel()}
      >
        {isAsked ? TEXTS.cancelling : TEXTS.cancel}
      </button>
      <Problem text={problem} />
    </>
  );
}
