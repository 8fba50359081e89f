import { signal } from "@preact/signals";

const query = globalThis.matchMedia?.("(min-width: 1200px)");

/** True where the window has room for the alert beside the conclusion, as session-screen.css lays it out. */
export const isWide = signal(query?.matches ?? false);
query?.addEventListener("change", ({ matches }) => (isWide.value = matches));
