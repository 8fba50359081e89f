import type { Finding } from "./scenario.ts";

const SHOWN = 5;

/** True where nothing offends; otherwise the first few that do. */
export function finding(what: string, offenders: readonly string[]): Finding {
  const more = offenders.length > SHOWN ? ` and ${offenders.length - SHOWN} more` : "";
  return { what, ok: offenders.length === 0, detail: `${offenders.slice(0, SHOWN).join("; ")}${more}` };
}
