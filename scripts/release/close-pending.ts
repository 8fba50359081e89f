const HEADING = "## Pending\n";

/**
 * The changelog with what is pending under the heading of a version instead, and nothing pending; undefined if nothing is
 * pending now. `date` is a day such as 2026-11-23.
 */
export function closePending(
  changelog: string,
  { version, date }: { readonly version: string; readonly date: string },
): string | undefined {
  const at = changelog.indexOf(HEADING);
  if (at < 0) return undefined;
  const rest = changelog.slice(at + HEADING.length);
  const pending = rest.split(/^## /mu, 1)[0] ?? "";
  if (pending.trim() === "") return undefined;
  return `${changelog.slice(0, at)}${HEADING}\n## ${version} (${date})\n${rest}`;
}
