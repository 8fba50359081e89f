import type { TableRules } from "#shared/database/table-rules.ts";

const READ = { select: true } as const;
const ADD = { select: true, insert: true } as const;

/** The tables of alerts that belong to one incident; part of TABLES in `grants.ts`. */
export const ALERT_GROUP_TABLES = {
  alert_group_secrets: {
    grants: { api: READ },
    purge: { kind: "kept", because: "with another secret no alert would find its group" },
  },
  alert_groups: {
    // A deleted session's group begins anew.
    grants: { api: { select: true, insert: true, update: true, delete: true } },
    purge: { kind: "session" },
  },
  group_alerts: { grants: { api: ADD, executor: READ }, purge: { kind: "session" } },
  evidence_deliveries: { grants: { api: READ, executor: ADD }, purge: { kind: "session" } },
} as const satisfies Record<string, TableRules>;
