import { signal } from "@preact/signals";
import type { TimeZone } from "#shared/client/time-text.ts";

const KEY = "tarsy.zone";

/** The zone of all times on the page. */
export const zone = signal<TimeZone>(storedZone());

/** Shows times in the other zone, on this browser from now on. */
export function switchZone(): void {
  zone.value = zone.value === "utc" ? "local" : "utc";
  try {
    globalThis.localStorage?.setItem(KEY, zone.value);
  } catch {
    // Storage is full or blocked: the choice lasts until the page is closed.
  }
}

function storedZone(): TimeZone {
  try {
    return globalThis.localStorage?.getItem(KEY) === "utc" ? "utc" : "local";
  } catch {
    return "local";
  }
}
