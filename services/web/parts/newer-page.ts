import { signal } from "@preact/signals";

const EVERY_MS = 300_000;

/** Whether the api serves another build than this page. */
export const isNewer = signal(false);

/** Asks from time to time, and when the reader comes back, which build the api serves. Called once by the page. */
export function watchForNewer(): void {
  const own = document.querySelector<HTMLScriptElement>("script[type=module]")?.getAttribute("src");
  let checkedAt = Date.now();
  const check = async () => {
    if (document.visibilityState !== "visible" || isNewer.value || Date.now() - checkedAt < EVERY_MS) return;
    checkedAt = Date.now();
    try {
      const answer = await fetch("/", { cache: "no-cache", headers: { accept: "text/html" } });
      const served = /<script[^>]* src="(?<src>[^"]+)"/u.exec(await answer.text())?.groups?.["src"];
      isNewer.value = answer.ok && served !== undefined && served !== own;
    } catch {
      // The api is away; the lists say so.
    }
  };
  document.addEventListener("visibilitychange", () => void check());
  setInterval(() => void check(), EVERY_MS);
}
