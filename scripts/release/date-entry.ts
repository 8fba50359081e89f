import { BASELINE_HASH } from "#shared/generated/baseline.ts";

/** With this version the baseline of the schema is frozen: its entry says which one it is (`frozenBaseline`). */
const FIRST = "0.1.0";

/**
 * The changelog with the date behind the heading of this version's entry; undefined if there is no undated heading for it, or nothing
 * below that. `date` is a day such as 2026-11-23.
 */
export function dateEntry(
  changelog: string,
  { version, date }: { readonly version: string; readonly date: string },
): string | undefined {
  const heading = `## ${version}\n`;
  const at = `\n${changelog}`.indexOf(`\n${heading}`);
  if (at < 0) return undefined;
  const rest = changelog.slice(at + heading.length);
  const entry = rest.split(/^## /mu, 1)[0] ?? "";
  if (entry.trim() === "") return undefined;
  const baseline = version === FIRST ? `\nThe schema begins with the baseline \`${BASELINE_HASH}\`.\n` : "";
  return `${changelog.slice(0, at)}## ${version} (${date})\n${baseline}${rest}`;
}
