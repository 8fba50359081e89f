import { shownKeys, type KeyBindings } from "../keys.ts";
import { useModal } from "../parts/use-modal.ts";
import { TEXT } from "../text.ts";
import { isMac, keyParts } from "./key-text.ts";
import "./help-dialog.css";

/** The keys of the present screen. */
export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const dialog = useModal();
  return (
    <dialog ref={dialog} class="help-overlay" aria-labelledby="help-title" onClose={onClose}>
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
