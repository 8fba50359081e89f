import { table, ADD, READ } from "#shared/database/tables/table.ts";

/**
 * The configuration of sessions and follow-ups, by its hash: most have the same one, of 2 to 9 kB. There is no foreign key to it, which would
 * lock the same row for each of them; `shared/database/resolved-configs.ts` says why it stays as long as one of them needs it.
 */
export const RESOLVED_CONFIGS = table({
  name: "resolved_configs",
  columns: {
    config_hash: { type: "text", primary: true, from: "digest" },
    /** `parseResolvedChain` reads it. */
    config: { type: "jsonb", from: "config" },
    /** Raised at most once an hour, so that sessions do not wait for each other. */
    used_at: { type: "timestamptz", default: "now()", set: ["api", "executor"] },
    /** What a claim reads, without the rest. */
    session_timeout_ms: {
      type: "bigint",
      nullable: true,
      ddl: "GENERATED ALWAYS AS ((config ->> 'session_timeout_ms')::float8::bigint) STORED",
    },
    budgets: {
      type: "jsonb",
      nullable: true,
      from: "config",
      ddl: "GENERATED ALWAYS AS (config -> 'budgets') STORED",
    },
  },
  indexes: ["resolved_configs_used (used_at)"],
  // Not compressed: it is written once, and each claim of a tool call reads it.
  afterwards: "ALTER TABLE resolved_configs ALTER config SET STORAGE EXTERNAL;",
  grants: {
    api: { select: true, insert: true, delete: true },
    executor: ADD,
    "tool-runner": READ,
    notifier: READ,
  },
  purge: {
    kind: "own",
    by: "the api's clean-up, once all sessions are newer than its last use; that of a fork, which no other session has, by a trigger of the session",
  },
});
