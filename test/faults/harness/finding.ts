import type { Finding } from "./scenario.ts";

const MAX_LISTED = 5;

/** A condition that holds if there are no offenders; otherwise its detail lists the first few. */
export function finding(what: string, offenders: readonly string[]): Finding {
  const more = offenders.length > MAX_LISTED ? ` and ${offenders.length - MAX_LISTED} more` : "";
  return { what, ok: offenders.length === 0, detail: `${offenders.slice(0, MAX_LISTED).join("; ")}${more}` };
}
