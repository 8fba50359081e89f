import { useModal } from "./use-modal.ts";
import "./confirm-question.css";

interface ConfirmQuestionProps {
  readonly texts: {
    readonly title: string;
    readonly text: string;
    readonly yes: string;
    readonly no: string;
  };
  readonly onAnswer: (isYes: boolean) => void;
}

/** Asks before something that cannot be undone. Escape and a press outside mean no. */
export function ConfirmQuestion({ texts, onAnswer }: ConfirmQuestionProps) {
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
