import { Holiday } from "#shared/agent-config/schemas/system-section.ts";
import { literals } from "#shared/contracts/literals.ts";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";
import { ToolListReply } from "#shared/contracts/tool-list.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { NullableText } from "../http/common-schemas.ts";
import type { Endpoints } from "../http/endpoint.ts";

const nullable = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);
const OptionalText = Type.Optional(nullable(Type.String()));
const MAX_RUNBOOK_CHARACTERS = 65_536;
const MAX_SLACK_FINGERPRINT_CHARACTERS = 1_000;
const Name = Type.String({ maxLength: 200 });
const OptionalFlag = Type.Optional(nullable(Type.Boolean()));

/** The MCP servers and tools that an alert selects; absent or null means those of the configuration. */
export const McpSelection = Type.Object(
  {
    servers: Type.Array(
      Type.Object({ name: Name, tools: Type.Optional(nullable(Type.Array(Name, { maxItems: 500 }))) }),
      { maxItems: 100 },
    ),
    native_tools: Type.Optional(
      nullable(
        Type.Object({ google_search: OptionalFlag, code_execution: OptionalFlag, url_context: OptionalFlag }),
      ),
    ),
  },
  { title: "McpSelection" },
);
export type McpSelection = Static<typeof McpSelection>;

/** The members of an alert as they are decoded; that `data` is missing is reported after wrong types. */
export const AlertRequest = Type.Object({
  data: OptionalText,
  alert_type: OptionalText,
  runbook: Type.Optional(nullable(Type.String({ maxLength: MAX_RUNBOOK_CHARACTERS }))),
  mcp: Type.Optional(nullable(McpSelection)),
  slack_message_fingerprint: Type.Optional(
    nullable(Type.String({ maxLength: MAX_SLACK_FINGERPRINT_CHARACTERS })),
  ),
  priority: OptionalText,
});
export type AlertRequest = Static<typeof AlertRequest>;

/** The body of `POST /api/v1/alerts`. Unknown members are ignored. */
const SubmitAlertBody = Type.Object(
  {
    ...AlertRequest.properties,
    data: Type.String({
      minLength: 1,
      description: "the alert: opaque text, at most 1,048,576 bytes in UTF-8",
    }),
    priority: Type.Optional(
      Type.Union([literals(SESSION_LANES), Type.Null()], {
        description: "by default that of the chain; `critical` needs the role operator",
      }),
    ),
  },
  { title: "Alert" },
);

const SubmitAlertHeaders = Type.Object({
  "Idempotency-Key": Type.Optional(
    Type.String({
      pattern: "^[\\x21-\\x7e]{1,255}$",
      description: "the same key within 24 hours is answered with the first one's session",
    }),
  ),
});

const SubmitAlertResponse = Type.Object(
  {
    session_id: Type.Optional({
      ...Uuid,
      description: "absent if no session is about the alert, or the one of its incident is not yours to see",
    }),
    status: Type.Union([Type.Literal("queued"), Type.Literal("linked"), Type.Literal("resolved")], {
      description:
        "queued: a session was started; linked: the alert belongs to the session of its incident; resolved: it says that it is over, and none is about it",
    }),
    message: Type.String(),
    alert_withheld: Type.Optional(
      Type.Literal(true, { description: "masking failed: nothing of the alert's text was stored" }),
    ),
  },
  { title: "AcceptedAlert" },
);

const AlertTypesResponse = Type.Object({
  alert_types: Type.Array(
    Type.Object({
      type: Type.String(),
      alert_type: Type.String({ description: "the same as `type`" }),
      chain_id: Type.String(),
      description: Type.String(),
    }),
  ),
  default_chain_id: NullableText,
  default_alert_type: Type.String(),
});

const AlertPreview = Type.Object({
  alert_type: Type.String(),
  is_default: Type.Boolean({ description: "the alert type is the default, because none is given" }),
  chain_id: Type.String(),
  priority: literals(SESSION_LANES),
  data: Type.String({ description: "masked" }),
  runbook: NullableText,
  chain: Type.Object(
    {},
    { additionalProperties: true, description: "its configuration, as a session keeps it" },
  ),
  listing: Type.With(ToolListReply, { description: "the tools of the servers of its agents" }),
  skills: Type.Array(Type.Object({ hash: Type.String(), body: Type.String() })),
  holidays: Type.Array(Holiday),
  prices: Type.Array(
    Type.Object({
      provider: Type.String(),
      input_usd_per_million_tokens: Type.Number(),
      source: Type.String(),
    }),
    { description: "of the agents' models; those without a price are absent" },
  ),
});

/** How alerts come in. */
export const ALERTS = {
  submitAlert: {
    method: "post",
    path: "/api/v1/alerts",
    action: "alert.submit",
    tag: "alerts",
    summary: "Submit an alert, which starts an investigation",
    description:
      "202 is answered once the alert is committed. From then on its session reaches a terminal status, whatever restarts.",
    headers: SubmitAlertHeaders,
    body: {
      schema: SubmitAlertBody,
      example: { data: "Pod checkout-7d9f in namespace shop restarts every 30 s", alert_type: "kubernetes" },
    },
    responses: {
      202: {
        description: "the alert is stored; with `Idempotent-Replayed: true` it was already",
        schema: SubmitAlertResponse,
        example: {
          session_id: "019ab0c4-7c1e-7d3a-9f70-2b7a4a9e1c55",
          status: "queued",
          message: "Alert submitted for processing",
        },
      },
    },
    errors: [422],
  },
  previewAlert: {
    method: "post",
    path: "/api/v1/alerts/preview",
    action: "config.read",
    tag: "alerts",
    summary: "What an alert would start: nothing is stored, and nothing starts",
    body: { schema: SubmitAlertBody },
    responses: { 200: { description: "the beginning of its session", schema: AlertPreview } },
  },
  listAlertTypes: {
    method: "get",
    path: "/api/v1/alert-types",
    action: "alert_types.read",
    tag: "alerts",
    summary: "The known alert types, each with the chain that investigates it",
    responses: { 200: { description: "the alert types", schema: AlertTypesResponse } },
  },
} as const satisfies Endpoints;
