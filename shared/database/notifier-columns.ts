/** What the notifier reads of the tables of which it may read a part, where that is much. */
export const NOTIFIER_COLUMNS = {
  alert_sessions: [
    "session_id",
    "status",
    "completed_at",
    "deleted_at",
    "chain_id",
    "resolved_config",
    "executive_summary",
    "owner_subject",
    "teams",
  ],
  timeline_events: [
    "event_id",
    "session_id",
    "execution_id",
    "sequence_number",
    "event_type",
    "status",
    "mcp_interaction_id",
    "created_at",
  ],
} as const;
