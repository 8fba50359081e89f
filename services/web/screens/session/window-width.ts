import { signal } from "@preact/signals";

function matching(media: string) {
  const query = globalThis.matchMedia?.(media);
  const matches = signal(query?.matches ?? false);
  query?.addEventListener("change", (change) => (matches.value = change.matches));
  return matches;
}

/** True where the window has no room for agents side by side. */
export const isNarrow = matching("(max-width: 899px)");

/** True where the window has room for the alert beside the conclusion, as session-screen.css lays it out. */
export const isWide = matching("(min-width: 1200px)");
