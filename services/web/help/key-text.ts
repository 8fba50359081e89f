const NAMES: Readonly<Record<string, string>> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  " ": "Space",
};

/** The keys of a binding as a keyboard names them, one after another: `Mod+k` is Ctrl and K, and ⌘ and K on a Mac. */
export function keyParts(key: string, isMac: boolean): readonly string[] {
  const [, modified] = /^Mod\+(.+)$/u.exec(key) ?? [];
  if (modified === undefined) return [NAMES[key] ?? key];
  return [isMac ? "⌘" : "Ctrl", (NAMES[modified] ?? modified).toUpperCase()];
}

/** Whether the keyboard has ⌘. */
export const isMac = /mac|iphone|ipad/iu.test(globalThis.navigator?.userAgent ?? "");
