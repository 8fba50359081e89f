import { signal } from "@preact/signals";

/** The time by this browser in milliseconds, once a second while the page is visible. */
export const now = signal(Date.now());

/** Starts the clock; returns a function that stops it. Called once by the page. */
export function runClock(): () => void {
  const tick = () => {
    if (document.visibilityState === "visible") now.value = Date.now();
  };
  const timer = setInterval(tick, 1_000);
  document.addEventListener("visibilitychange", tick);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", tick);
  };
}
