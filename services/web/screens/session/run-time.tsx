import { Duration, Elapsed } from "../../parts/time.tsx";
import type { SessionStore } from "./session-store.ts";

interface RunTimeProps {
  readonly since: string;
  /** Undefined for what runs: until now, or until the moment as of which the session is shown. */
  readonly until: string | undefined;
  readonly store: SessionStore;
}

/** How long something took, or has run. */
export function RunTime({ since, until, store }: RunTimeProps) {
  const { at, parked } = store.view.value;
  // While it is parked nothing of it runs.
  const end = until ?? parked?.at ?? (store.at.value === undefined ? undefined : at);
  if (end === undefined) return <Elapsed since={since} />;
  return <Duration ms={Math.max(0, Date.parse(end) - Date.parse(since))} />;
}
