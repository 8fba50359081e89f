/** The reads of the notifier from Postgres, as counted in its metrics. */
export const READ_KINDS = [
  "feed state",
  "gap",
  "history",
  "cursor",
  "status event",
  "session owner",
  "session plan",
  "session facts",
] as const;
export type ReadKind = (typeof READ_KINDS)[number];
