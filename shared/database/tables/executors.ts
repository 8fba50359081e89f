import { table, ALL, READ } from "#shared/database/tables/table.ts";

/** When each executor was last alive, and how many places it has. */
export const EXECUTORS = table({
  name: "executors",
  columns: {
    executor_id: { type: "uuid", primary: true },
    pod_id: { type: "text", from: "ours" },
    started_at: { type: "timestamptz", default: "now()" },
    seen_at: { type: "timestamptz", default: "now()", set: "executor" },
    stopped_at: { type: "timestamptz", nullable: true, set: "executor" },
    slots: { type: "integer" },
  },
  grants: { api: READ, executor: { select: true, insert: true, delete: true } },
  purge: { kind: "own", by: "an executor that stops, a day after the last sign of life" },
});

/** A provider that fails. It is away once `opened_at` is set; from `probe_at` on one executor at a time may call it. */
export const LLM_CIRCUITS = table({
  name: "llm_circuits",
  columns: {
    provider: { type: "text", primary: true, from: "config" },
    entry_hash: { type: "text", primary: true, from: "digest" },
    first_failure_at: { type: "timestamptz", default: "now()" },
    first_session: { type: "uuid" },
    last_error: { type: "text", from: "other" },
    opened_at: { type: "timestamptz", nullable: true },
    failed_probes: { type: "integer", default: "0" },
    probe_at: { type: "timestamptz", nullable: true },
    /** The call that tries the provider, until `probe_until`. */
    probe_by: { type: "uuid", nullable: true },
    probe_until: { type: "timestamptz", nullable: true },
    updated_at: { type: "timestamptz", default: "now()" },
  },
  grants: { api: READ, executor: ALL },
  purge: {
    kind: "own",
    by: "an executor whose call the provider answers, or one that reports a failure a day later",
  },
});
