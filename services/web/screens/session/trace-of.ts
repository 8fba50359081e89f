import type { SessionStore } from "./session-store.ts";

/** The address of the trace as of the moment at which a session is shown. */
export function traceOf({ id, at }: SessionStore): string {
  return `/s/${id}/trace${at.value === undefined ? "" : `?at=${at.value}`}`;
}
