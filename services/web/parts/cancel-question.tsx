import { TEXT } from "../text.ts";
import { useModal } from "./use-modal.ts";
import "./cancel-question.css";

const { cancel: texts } = TEXT;

/** Asks before a session is cancelled. Escape and a press outside mean no. */
export function CancelQuestion({ onAnswer }: { readonly onAnswer: (isYes: boolean) => void }) {
  const dialog = useModal();
  return (
    <dialog
      ref={dialog}
      class="confirm"
      aria-labelledby="confirm-title"
      onCancel={() => onAnswer(false)}
      onClick={(event) => event.target === dialog.current && onAnswer(false)}
    >
      <div class="confirm-body">
        <h2 id="confirm-title">{texts.title}</h2>
        <p>{texts.text}</p>
        <div class="confirm-buttons">
          <button type="button" class="button" onClick={() => onAnswer(false)}>
            {texts.no}
          </button>
          <button type="button" class="button danger" onClick={() => onAnswer(true)}>
            {texts.yes}
          </button>
        </div>
      </div>
    </dialog>
  );
}
