import type { TableRules } from "#shared/database/table-rules.ts";

/** The tables of what people and other systems are told. */
export const NOTIFICATION_TABLES = {
  outbox: {
    grants: {
      api: {
        select: true,
        // By the trigger, of a session that it cancels before its start.
        insert: true,
        update: [
          "state",
          "not_before",
          "attempts",
          "lease_token",
          "lease_expires_at",
          "is_unsure",
          "last_error",
          "receipt",
          "settled_at",
        ],
        delete: true,
      },
      // By the triggers, with what it writes.
      executor: { insert: true },
    },
    purge: { kind: "own", by: "the api's clean-up, 30 days after they were sent or given up" },
  },
  notification_destinations: {
    grants: { api: { select: true, insert: true, update: true, delete: true } },
    purge: { kind: "own", by: "the api's clean-up, once nothing is to be sent there any more" },
  },
} as const satisfies Record<string, TableRules>;
