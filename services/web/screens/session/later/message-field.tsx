import { shownText } from "../../../session/shown-text.ts";

interface MessageFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly maxLength: number;
  readonly setValue: (value: string) => void;
  /** Enter was pressed, without Shift. */
  readonly send: () => void;
}

/** Where a message is written: Enter sends it, Shift and Enter begin a new line. */
export function MessageField({ id, label, value, maxLength, setValue, send }: MessageFieldProps) {
  return (
    <textarea
      id={id}
      aria-label={shownText(label)}
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
