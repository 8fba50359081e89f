import { shownText } from "../../../session/shown-text.ts";

interface MessageFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** A browser cuts off what is longer; undefined where the caller says so instead. */
  readonly maxLength?: number;
  /** The ids of what explains it. */
  readonly describedBy?: string;
  readonly setValue: (value: string) => void;
  /** Enter was pressed, without Shift. */
  readonly send: () => void;
}

/** Where a message is written: Enter sends it, Shift and Enter begin a new line. */
export function MessageField(props: MessageFieldProps) {
  const { id, label, value, maxLength, describedBy, setValue, send } = props;
  return (
    <textarea
      id={id}
      aria-label={shownText(label)}
      aria-describedby={describedBy}
      rows={2}
      value={value}
      maxLength={maxLength}
      onInput={({ currentTarget }) => setValue(currentTarget.value)}
      onKeyDown={(event) => {
        // Enter that ends the composition of a character, as in Japanese, is not meant for the message.
        if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        send();
      }}
    />
  );
}
