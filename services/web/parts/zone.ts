import { signal } from "@preact/signals";
import type { TimeZone } from "#shared/client/time-text.ts";
import { store, stored } from "../api/stored.ts";

/** The zone of all times on the page. */
export const zone = signal<TimeZone>(stored("zone") === "utc" ? "utc" : "local");

/** Shows times in the other zone, on this browser from now on. */
export function switchZone(): void {
  zone.value = zone.value === "utc" ? "local" : "utc";
  store("zone", zone.value);
}
