import { signal } from "@preact/signals";
import { shownKeys, useKeys, type KeyBindings } from "../keys.ts";
import { TEXT } from "../text.ts";
import { isMac, keyParts } from "./key-text.ts";
import { useModal } from "../parts/use-modal.ts";
import "./help-overlay.css";

/** Whether the overlay is shown. */
const isOpen = signal(false);

/** Shows the keys. */
export function openHelp(): void {
  isOpen.value = true;
}

/** The keys of the present screen, in a dialog. */
export function HelpOverlay() {
  useKeys({ "?": [TEXT.app.helpKey, openHelp] });
  return isOpen.value ? <HelpDialog /> : null;
}

function HelpDialog() {
  const dialog = useModal();
  return (
    <dialog
      ref={dialog}
      class="help-overlay"
      aria-labelledby="help-title"
      onClose={() => (isOpen.value = false)}
    >
      <header>
        <h2 id="help-title">{TEXT.help.title}</h2>
        <button type="button" class="button" onClick={() => dialog.current?.close()}>
          {TEXT.app.close}
        </button>
      </header>
      <dl>
        {allKeys(shownKeys.value).map(({ key, text }) => (
          <div key={key}>
            <dt>
              {keyParts(key, isMac).map((part) => (
                <kbd key={part}>{part}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}

/** Each key once, as the binding that wins; those of the screen before those of the whole page. */
function allKeys(all: readonly KeyBindings[]): readonly { readonly key: string; readonly text: string }[] {
  const texts = new Map<string, string>();
  for (const bindings of all.toReversed()) {
    for (const [key, [text]] of Object.entries(bindings)) {
      if (!texts.has(key)) texts.set(key, text);
    }
  }
  return [...texts].map(([key, text]) => ({ key, text }));
}
