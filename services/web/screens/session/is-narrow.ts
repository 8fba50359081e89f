import { signal } from "@preact/signals";

const query = globalThis.matchMedia?.("(max-width: 899px)");

/** True where the window has no room for agents side by side. */
export const isNarrow = signal(query?.matches ?? false);
query?.addEventListener("change", ({ matches }) => (isNarrow.value = matches));
