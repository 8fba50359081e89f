import type { TableRules } from "#shared/database/table-rules.ts";

const READ = { select: true } as const;
const ADD = { select: true, insert: true } as const;

/** The tables of what agents ask people, and of what people tell agents, while a session runs. */
export const PERSON_TABLES = {
  approvals: {
    grants: {
      api: { select: true, update: ["state", "decided_at", "decided_by", "reason"] },
      executor: { select: true, insert: true, update: ["state", "decided_at"] },
      "tool-runner": READ,
    },
    purge: { kind: "session" },
  },
  steering_messages: { grants: { api: ADD, executor: READ }, purge: { kind: "session" } },
  steering_deliveries: { grants: { api: READ, executor: ADD }, purge: { kind: "session" } },
} as const satisfies Record<string, TableRules>;
