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
      {keyGroups(shownKeys.value).map(({ title, keys }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl>
            {keys.map(({ key, text }) => (
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
        </section>
      ))}
    </dialog>
  );
}

/** The keys of every screen: these are bound by the page itself. */
const PAGE_KEYS = new Set(["?", "Mod+k"]);

/** The keys of the screen, then those of the whole page. */
function keyGroups(all: readonly KeyBindings[]) {
  const keys = allKeys(all);
  const isPage = ({ key }: { readonly key: string }) => PAGE_KEYS.has(key);
  const groups = [
    { title: TEXT.help.screen, keys: keys.filter((one) => !isPage(one)) },
    { title: TEXT.help.page, keys: keys.filter(isPage) },
  ];
  return groups.filter((group) => group.keys.length > 0);
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
