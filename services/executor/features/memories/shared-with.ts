/**
 * The SQL condition that what was learned in one session may be told in another: `source` and `asking` are rows with
 * `owner_subject` and `teams`. Whoever may read the asking session reads what it was told, so each of its teams must be one of
 * the source's; a session without a team is told only what its own submitter's sessions without a team taught.
 */
export function sharedWith(source: string, asking: string): string {
  return `CASE WHEN cardinality(${asking}.teams) > 0 THEN ${source}.teams @> ${asking}.teams
       ELSE cardinality(${source}.teams) = 0 AND ${source}.owner_subject IS NOT DISTINCT FROM ${asking}.owner_subject END`;
}
