/** The origins of a text, with the part that keeps secrets out of it before it is stored, sent or shown to a model. */
export const TEXT_ORIGINS = {
  alert: "of an alert: masked by the rules of alerts with the session's key, before anything is stored",
  person: "of a person: masked by the rules of alerts where the route reads it",
  name: "a name that a person chose: refused if masking would change it",
  arguments: "arguments of a model: masked by the rules of the server, in the executor",
  tool: "of a tool, its server or a runbook: masked by the rules of the server, in the tool-runner",
  other:
    "of another system, such as a provider's error, a receiver's answer, a header: masked where it is read",
  model: "a model's own words: its input was masked, and variables stand in it as placeholders",
  config: "of the operator's configuration, whose variables stand in it by name",
  caller: "a caller as authentication names it: stays as it is, because it must be certain who did something",
  ours: "written by us: ids, states, digests, our own sentences",
  copies: "copied or put together from columns that were masked before",
  checked: "one of the values that are known: another one is refused",
  compared: "compared with what is stored, and stored nowhere",
  digest: "stored as a digest only",
  world:
    "of a world, which only the database of an evaluation has: masked by the rules of the server when a call is answered",
} as const;
/** Each column that can hold a text names one (shared/database/tables). */
export type TextOrigin = keyof typeof TEXT_ORIGINS;

/** The members of a request that carry free text: in its path, its query, its headers, or its body by dotted paths. */
type TextOrigins = Readonly<Record<string, TextOrigin>>;

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
  // The same, and nothing of it is stored.
  "POST /api/v1/alerts/preview": {
    data: "compared",
    alert_type: "checked",
    runbook: "compared",
    "mcp.servers[].name": "checked",
    "mcp.servers[].tools[]": "compared",
    slack_message_fingerprint: "compared",
  },
  // The whole body is the text of the alert.
  "POST /api/v1/webhooks/alertmanager": { "": "alert" },
  "GET /api/v1/webhooks/:source": { "params.source": "compared" },
  "POST /api/v1/webhooks/:source": { "params.source": "compared", "": "alert" },
  "POST /api/v1/webhooks/raw": { "query.alert_type": "checked", "": "alert" },
  // These call the functions of other routes, which mask what they take.
  "POST /mcp": { "": "person" },
  "POST /api/v1/agui": { "": "person" },
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
  "POST /api/v1/system/mcp-servers/:server/connect": { "params.server": "compared" },
  "GET /api/v1/oauth/callback": {
    "query.state": "compared",
    "query.code": "compared",
    "query.iss": "compared",
    "query.error": "checked",
  },
  "GET /api/v1/system/default-tools": { "query.alert_type": "compared" },
  "GET /api/v1/audit": { "query.subject": "compared", "query.action": "compared" },
} as const satisfies Readonly<Record<string, TextOrigins>>;

/** The doors that are neither a column nor a member of a route. */
export const OTHER_DOORS = {
  "names of members that a body does not have": "other",
  "headers X-Forwarded-User, X-Forwarded-Email and X-Remote-User without authentication": "other",
  "header tracestate": "other",
  "path, host and origin of a refused request": "other",
  "messages of WebSocket clients": "compared",
  "names and teams of `tarsy keys add`": "name",
  "answers of the TARSy that `tarsy import` reads": "other",
  "errors, warnings and native tools of a model's provider": "other",
  "answers of receivers of notifications, and of Slack": "other",
  "results, errors and progress of a tool": "tool",
  "descriptions, schemas and versions of an MCP server": "tool",
  "standard error of an MCP server": "tool",
  "text of a runbook": "tool",
  "answer of a model": "model",
  "arguments of a model": "arguments",
} as const satisfies Readonly<Record<string, TextOrigin>>;
