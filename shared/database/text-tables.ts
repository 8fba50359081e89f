import type { TableRules } from "#shared/database/table-rules.ts";

/** The tables of texts that are stored by their hash; part of TABLES in `grants.ts`. */
export const TEXT_TABLES: Readonly<Record<string, TableRules>> = {
  texts: {
    grants: {
      // `used_at`: also the lock with which old ones are taken.
      api: { select: true, insert: true, update: ["used_at"], delete: true },
      executor: { select: true },
      // The texts of runbooks that it has fetched.
      "tool-runner": { select: true, insert: true, update: ["used_at"] },
    },
    purge: { kind: "own", by: "the api's clean-up, a day after the last session that needs it is gone" },
  },
  needed_texts: {
    grants: {
      api: { select: true, insert: true },
      executor: { select: true, insert: true },
      "tool-runner": { select: true, insert: true },
    },
    purge: { kind: "session" },
  },
  session_runbooks: {
    grants: {
      // For cassettes, and of a fork.
      api: { select: true, insert: true },
      executor: { select: true, insert: true },
      "tool-runner": { select: true, insert: true },
    },
    purge: { kind: "session" },
  },
};
