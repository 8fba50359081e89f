import type { TableRules } from "#shared/database/table-rules.ts";

const READ = { select: true } as const;

/** The tables of who may do what, and of what was done. */
export const ACCESS_TABLES = {
  api_keys: {
    // Keys are added and revoked as the owner, by the command line.
    grants: { api: READ, notifier: READ },
    purge: { kind: "kept", because: "the audit log names keys by their id" },
  },
  ws_tickets: {
    grants: {
      // UPDATE only for the lock with which expired ones are taken.
      api: { select: true, insert: true, update: ["expires_at"], delete: true },
      notifier: { select: true, delete: true },
    },
    purge: { kind: "own", by: "the notifier that redeems one, or the api once it has expired" },
  },
  audit_log: {
    grants: {
      api: { select: true, insert: true },
      executor: { insert: true },
      "tool-runner": { insert: true },
      notifier: { insert: true },
    },
    purge: { kind: "kept", because: "it must outlive what it records; only the owner can delete from it" },
  },
} as const satisfies Record<string, TableRules>;
