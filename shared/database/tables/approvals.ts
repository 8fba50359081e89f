import { table, ADD, OF_SESSION, READ, type Row } from "#shared/database/tables/table.ts";
import { APPROVAL_STATES, DECISION_CHANNELS } from "#shared/contracts/statuses.ts";

/** A tool call that a person was asked about, and the decision. */
export const APPROVALS = table({
  name: "approvals",
  columns: {
    approval_id: { type: "uuid", primary: true },
    session_id: OF_SESSION,
    execution_id: { type: "uuid" },
    /** Of the first attempt of the call in `tool_calls`. */
    call_id: { type: "text", from: "ours", ddl: "UNIQUE" },
    /** "server.tool" */
    tool: { type: "text", from: "model" },
    /** As the runner gets them. */
    arguments: { type: "text", from: "arguments" },
    /** SHA-256 of `arguments` in hex: the runner makes a call only with the arguments that were agreed to. */
    arguments_hash: { type: "text", from: "digest" },
    state: { type: "text", enum: APPROVAL_STATES, checked: true, from: "ours", set: ["api", "executor"] },
    requested_at: { type: "timestamptz", default: "now()" },
    expires_at: { type: "timestamptz" },
    decided_at: { type: "timestamptz", nullable: true, set: ["api", "executor"] },
    decided_by: { type: "text", nullable: true, from: "caller", set: "api" },
    decided_via: { type: "text", enum: DECISION_CHANNELS, nullable: true, from: "ours", set: "api" },
    reason: { type: "text", nullable: true, from: "person", set: "api" },
  },
  indexes: ["approvals_session (session_id)"],
  grants: { api: ADD, executor: ADD, "tool-runner": READ },
  purge: { kind: "session" },
  past: { since: "kept", changing: [["state", "decided_at", "decided_by", "decided_via", "reason"]] },
  afterwards: `
CREATE FUNCTION tarsy_notify_of_approval() RETURNS trigger LANGUAGE plpgsql AS $notify_of_approval$
BEGIN
  INSERT INTO outbox (session_id, kind, destination, dedup_key, payload)
  SELECT NEW.session_id, 'approval.requested', d.key, 'approval-requested:' || NEW.approval_id || ':' || d.key,
         jsonb_build_object('approval_id', NEW.approval_id)
  FROM alert_sessions s, jsonb_each(s.notify) AS d
  WHERE s.session_id = NEW.session_id AND d.value ? 'approval.requested'
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$notify_of_approval$;
CREATE TRIGGER approvals_notify AFTER INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION tarsy_notify_of_approval();
`,
});

export type Approval = Row<typeof APPROVALS>;
