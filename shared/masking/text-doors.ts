/** Where a text comes from, and what keeps secrets out of it before it is stored, sent or shown to a model. */
export const TEXT_ORIGINS = {
  alert: "of an alert: masked by the rules of alerts with the session's key, before anything is stored",
  person: "of a person: masked by the rules of alerts where the route reads it",
  name: "a name that a person chose: refused if masking would change it",
  arguments: "arguments of a model: masked by the rules of the server, in the executor",
  tool: "of a tool, its server or a runbook: masked by the rules of the server, in the tool-runner",
  other:
    "of another system, such as a provider's error, a receiver's answer, a header: masked where it is read",
  model: "a model's own words: what it was told was masked, and variables stand in it as placeholders",
  config: "of the operator's configuration, whose variables stand in it by name",
  caller: "a caller as authentication names it: stays as it is, because it must be certain who did something",
  ours: "written by us: ids, states, digests, our own sentences",
  copies: "copied or put together from columns that were masked before",
  checked: "one of the values that are known: another one is refused",
  compared: "compared with what is stored, and stored nowhere",
  digest: "stored as a digest only",
} as const;
type TextOrigin = keyof typeof TEXT_ORIGINS;

type Columns = Readonly<Partial<Record<TextOrigin, readonly string[]>>>;

/** Every column that can hold a text, by table. A new one belongs here: a test reads the schema. */
export const TEXT_COLUMNS: Readonly<Record<string, Columns>> = {
  agent_executions: {
    config: ["agent_name", "llm_provider", "llm_backend", "model_name"],
    copies: ["iteration_state", "original_llm_provider", "original_llm_backend", "original_model_name"],
    other: ["error_message"],
    model: ["task"],
    ours: ["error_code"],
  },
  alert_group_secrets: { ours: ["secret"] },
  alert_groups: { digest: ["group_key"], config: ["chain_id"] },
  alert_notifications: { alert: ["body"], digest: ["key"], ours: ["source"] },
  alert_sessions: {
    alert: ["alert_data", "runbook_url", "slack_message_fingerprint", "mcp_selection"],
    person: ["action_taken", "investigation_feedback", "fork_changes"],
    model: ["final_analysis", "executive_summary"],
    other: ["error_message", "executive_summary_error", "trace_context"],
    config: ["agent_type", "alert_type", "chain_id", "resolved_config", "teams", "notify"],
    caller: ["author", "owner_subject", "assignee", "feedback_edited_by"],
    ours: [
      "error_code",
      "session_metadata",
      "config_hash",
      "pod_id",
      "prompt_nonce",
      "mask_key",
      "review_status",
      "quality_rating",
      "lane",
      "tools_mode",
    ],
  },
  api_keys: { ours: ["id", "secret_hash", "roles"], name: ["subject", "teams"] },
  approvals: {
    arguments: ["arguments"],
    person: ["reason"],
    caller: ["decided_by"],
    model: ["tool"],
    ours: ["call_id", "state"],
    digest: ["arguments_hash"],
  },
  audit_log: {
    caller: ["subject"],
    other: ["detail"],
    ours: ["service", "via", "peer", "action", "result"],
  },
  budget_accounts: { copies: ["account", "key"], ours: ["scope", "period"] },
  budget_reservations: { copies: ["accounts"], ours: ["kind"] },
  budgets: { name: ["key"], caller: ["set_by"], ours: ["scope", "period"] },
  chat_user_messages: { person: ["content"], caller: ["author"] },
  chats: { caller: ["created_by"], config: ["chain_id"], ours: ["pod_id"] },
  events: { copies: ["payload"] },
  executors: { ours: ["pod_id"] },
  follow_ups: {
    config: ["resolved_config"],
    caller: ["asked_by"],
    other: ["error_message"],
    ours: ["kind", "config_hash", "error_code"],
  },
  group_alerts: {
    alert: ["data"],
    caller: ["author"],
    digest: ["group_key", "source_key"],
    ours: ["outcome", "effect"],
  },
  idempotency_keys: { digest: ["key", "request_hash"] },
  // What a model has learned is masked as well, in the executor.
  investigation_memories: {
    person: ["content"],
    copies: ["tsv"],
    caller: ["owner_subject"],
    config: ["teams", "alert_type", "chain_id", "embedding_model"],
    ours: ["project", "category", "valence", "origin", "rating"],
  },
  llm_circuits: { other: ["last_error"], config: ["provider"], digest: ["entry_hash"] },
  llm_interactions: {
    model: ["thinking_content", "llm_response"],
    other: ["error_message"],
    copies: ["llm_request"],
    config: ["model_name"],
    ours: ["error_code", "price_source"],
  },
  masked_values: { digest: ["digest", "digits"], ours: ["kind"] },
  mcp_cleanups: { config: ["server"] },
  mcp_interactions: {
    arguments: ["tool_arguments"],
    tool: ["tool_result", "available_tools", "error_message", "outcome"],
    config: ["server_name"],
    model: ["tool_name"],
  },
  mcp_server_states: {
    tool: ["version", "tools", "error"],
    config: ["server"],
    ours: ["host", "state", "era", "error_code"],
  },
  messages: {
    arguments: ["tool_calls"],
    copies: ["content"],
    // Left out where arguments were masked.
    model: ["tool_name", "tool_call_id", "provider_state"],
  },
  needed_texts: { digest: ["hash"] },
  notification_destinations: { other: ["last_error"], config: ["destination", "stopped_address"] },
  outbox: {
    copies: ["payload"],
    other: ["last_error", "receipt"],
    config: ["destination"],
    ours: ["kind", "dedup_key", "state"],
  },
  recorded_tool_calls: {
    copies: ["server_name", "tool_name", "arguments", "outcome", "kept"],
    ours: ["used_by"],
  },
  recorded_tool_lists: { copies: ["server_name", "available_tools", "tool_result", "error_message"] },
  row_history: { copies: ["before"], ours: ["table_name"] },
  schema_migrations: { ours: ["name"] },
  session_model_usage: { config: ["model_name"] },
  session_review_activities: {
    person: ["note", "investigation_feedback"],
    caller: ["actor"],
    ours: ["action", "from_status", "to_status", "quality_rating"],
  },
  session_runbooks: { tool: ["failure"], digest: ["hash"] },
  session_runtime: {
    person: ["park_reason"],
    caller: ["park_actor", "cancel_actor"],
    other: ["waiting_for"],
    ours: ["lease_owner", "park_by"],
  },
  session_scores: {
    model: ["score_analysis", "tool_improvement_report", "failure_tags"],
    other: ["error_message"],
    caller: ["score_triggered_by"],
    digest: ["prompt_hash"],
    ours: ["status"],
  },
  session_texts: { copies: ["content"], ours: ["kind"] },
  stages: { config: ["stage_name"], other: ["error_message"], ours: ["error_code", "stage_type"] },
  steering_messages: {
    person: ["content"],
    caller: ["author"],
    digest: ["request_hash"],
    ours: ["mode"],
  },
  texts: { tool: ["body"], digest: ["hash"] },
  timeline_events: { copies: ["content", "metadata"] },
  timeline_words: { copies: ["words"] },
  tool_calls: {
    tool: ["result"],
    model: ["name"],
    ours: ["call_id", "failure", "effect", "phase"],
  },
  tool_results: { tool: ["content"], ours: ["call_id"] },
  waiting_feedback: { person: ["feedback"], caller: ["asked_by"] },
  ws_tickets: { digest: ["ticket_hash"], caller: ["identity"] },
};

/** Where a request carries free text: in its path, its query, its headers, or its body by dotted paths. */
type Members = Readonly<Record<string, TextOrigin>>;

/** The filters of lists and sums. */
const PERIOD = { "query.start_date": "compared", "query.end_date": "compared" } as const;
const OF_ALERTS = { "query.alert_type": "compared", "query.chain_id": "compared" } as const;

/**
 * Every member of a request that can hold a text of the client, by route. The route layer masks what is of a person, and refuses
 * names. A new one belongs here: a test reads the routes.
 */
export const ROUTE_TEXTS = {
  "POST /api/v1/alerts": {
    "headers.Idempotency-Key": "digest",
    data: "alert",
    alert_type: "checked",
    runbook: "alert",
    "mcp.servers[].name": "checked",
    "mcp.servers[].tools[]": "alert",
    slack_message_fingerprint: "alert",
  },
  // The whole body is the text of the alert.
  "POST /api/v1/webhooks/alertmanager": { "": "alert" },
  "POST /api/v1/webhooks/pagerduty": { "": "alert" },
  "POST /api/v1/webhooks/raw": { "query.alert_type": "checked", "": "alert" },
  "GET /api/v1/sessions/triage/:group": { "query.assignee": "compared" },
  "PATCH /api/v1/sessions/review": {
    "session_ids[]": "compared",
    "expected.assignee": "compared",
    action_taken: "person",
    investigation_feedback: "person",
  },
  "PATCH /api/v1/memories/:memory": { content: "person" },
  "GET /api/v1/sessions": {
    ...PERIOD,
    ...OF_ALERTS,
    "query.status": "checked",
    "query.state": "checked",
    "query.priority": "checked",
    "query.review_status": "checked",
    "query.author": "compared",
    "query.assignee": "compared",
    "query.search": "compared",
  },
  "POST /api/v1/sessions/:id/park": { reason: "person" },
  "POST /api/v1/sessions/:id/fork": {
    "changes.llm_provider": "checked",
    "changes.model": "name",
    "changes.custom_instructions": "person",
    "changes.tool_result.content": "person",
  },
  "POST /api/v1/sessions/:id/messages": { content: "person" },
  "POST /api/v1/sessions/:id/chat/messages": { content: "person" },
  "POST /api/v1/sessions/:id/approvals/:approval": { reason: "person" },
  "GET /api/v1/usage/summary": { ...PERIOD, ...OF_ALERTS },
  "GET /api/v1/usage/days": { ...PERIOD, ...OF_ALERTS },
  "PUT /api/v1/budgets": { key: "name" },
  "DELETE /api/v1/budgets": { "query.key": "compared" },
  "GET /api/v1/notifications": { "query.destination": "compared" },
  "GET /api/v1/system/config/skills/:name": { "params.name": "compared" },
  "GET /api/v1/system/default-tools": { "query.alert_type": "compared" },
  "GET /api/v1/audit": { "query.subject": "compared", "query.action": "compared" },
} as const satisfies Readonly<Record<string, Members>>;

/** The doors that are neither a column nor a member of a route. */
export const OTHER_DOORS = {
  "names of members that a body does not have": "other",
  "headers X-Forwarded-User, X-Forwarded-Email and X-Remote-User without authentication": "other",
  "header tracestate": "other",
  "path, host and origin of a refused request": "other",
  "messages of WebSocket clients": "compared",
  "names and teams of `tarsy keys add`": "name",
  "errors, warnings and native tools of a model's provider": "other",
  "answers of receivers of notifications, and of Slack": "other",
  "results, errors and progress of a tool": "tool",
  "descriptions, schemas and versions of an MCP server": "tool",
  "standard error of an MCP server": "tool",
  "text of a runbook": "tool",
  "answer of a model": "model",
  "arguments of a model": "arguments",
} as const satisfies Readonly<Record<string, TextOrigin>>;
