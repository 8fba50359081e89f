import type { Bus } from "#shared/bus/open-bus.ts";

/** Calls `handle` each time a lost connection is replaced. Live messages sent during the outage are lost. */
export function onReconnect(bus: Bus, handle: () => void): void {
  bus.onReconnect(handle);
}
