import { safeCut } from "#shared/safe-cut.ts";

/** A name that fits into a chart. */
export function shortName(name: string, limit: number): string {
  return name.length <= limit ? name : `${name.slice(0, safeCut(name, limit - 1))}…`;
}
