import { signal } from "@preact/signals";
import { store, stored, storedName } from "../api/stored.ts";

/** The schemes in the order of the switch; without one the system decides. */
const SCHEMES = ["system", "light", "dark"] as const;
type Scheme = (typeof SCHEMES)[number];

/** What the reader has chosen. */
export const scheme = signal<Scheme>("system");

function show(chosen: Scheme): void {
  scheme.value = chosen;
  if (chosen === "system") delete document.documentElement.dataset["scheme"];
  else document.documentElement.dataset["scheme"] = chosen;
}

/** Shows what the reader has chosen before, also in other tabs. Called once, before anything is shown. */
export function followScheme(): void {
  const known = (name: string | null | undefined) => SCHEMES.find((one) => one === name) ?? "system";
  show(known(stored("scheme")));
  addEventListener("storage", ({ key, newValue }) => {
    if (key === storedName("scheme")) show(known(newValue));
  });
}

/** Goes to the next scheme and keeps it in this browser. */
export function nextScheme(): void {
  const next = SCHEMES[(SCHEMES.indexOf(scheme.value) + 1) % SCHEMES.length] ?? "system";
  show(next);
  store("scheme", next === "system" ? undefined : next);
}
