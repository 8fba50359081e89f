import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

/** What a key does: its description for the help overlay, and the action. */
export type KeyBinding = readonly [text: string, action: (event: KeyboardEvent) => void];
/** By key as `KeyboardEvent.key` names it; `Mod+k` is Ctrl+k, and ⌘k on a Mac. */
export type KeyBindings = Readonly<Record<string, KeyBinding>>;

/** The bindings of everything that is shown, the latest last; the help overlay lists them. */
export const shownKeys = signal<readonly KeyBindings[]>([]);

const EDITORS = new Set(["INPUT", "SELECT", "TEXTAREA"]);

/** The name under which a key press is bound. */
export function keyName(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">,
): string | undefined {
  if (event.altKey) return undefined;
  if (event.ctrlKey || event.metaKey) return `Mod+${event.key.toLowerCase()}`;
  return event.key;
}

/** The binding for a key press; the one added last wins. Single keys do nothing while the reader types. */
export function findBinding(
  all: readonly KeyBindings[],
  name: string | undefined,
  isTyping: boolean,
): KeyBinding | undefined {
  if (name === undefined || (isTyping && !name.startsWith("Mod+") && name !== "Escape")) return undefined;
  return all.findLast((bindings) => Object.hasOwn(bindings, name))?.[name];
}

function isEditor(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return EDITORS.has(target.tagName) || target.isContentEditable;
}

/** Enter and space on a button or link are its own. */
function isOwnKey(event: KeyboardEvent): boolean {
  const { target } = event;
  const isControl = target instanceof Element && target.closest("a, button, summary, [role=option]") !== null;
  return isControl && (event.key === "Enter" || event.key === " ");
}

/** Listens for the keys of everything that is shown; returns a function that stops it. Called once by the page. */
export function listenForKeys(): () => void {
  const listen = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || isOwnKey(event)) return;
    // An open dialog keeps its keys for itself.
    const isModal = document.querySelector("dialog:modal") !== null;
    const name = keyName(event);
    if (isModal && !(name?.startsWith("Mod+") ?? false)) return;
    const binding = findBinding(shownKeys.value, name, isEditor(event.target));
    if (binding === undefined) return;
    event.preventDefault();
    binding[1](event);
  };
  document.addEventListener("keydown", listen);
  return () => document.removeEventListener("keydown", listen);
}

/** Binds keys while the component is shown. The actions may change from one rendering to the next, the keys may not. */
export function useKeys(bindings: KeyBindings): void {
  const latest = useRef(bindings);
  latest.current = bindings;
  // Before the component is painted: a key pressed at the sight of it must not be lost.
  useLayoutEffect(() => {
    const stable: Record<string, KeyBinding> = {};
    for (const [key, [text]] of Object.entries(latest.current)) {
      stable[key] = [text, (event) => latest.current[key]?.[1](event)];
    }
    shownKeys.value = [...shownKeys.peek(), stable];
    return () => {
      shownKeys.value = shownKeys.peek().filter((other) => other !== stable);
    };
  }, []);
}
