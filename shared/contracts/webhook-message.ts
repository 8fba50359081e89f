import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";
import { Conclusion, CONCLUSION_STATUSES, STATED_STATUSES } from "#shared/contracts/conclusion.ts";
import { BudgetCause } from "#shared/contracts/budget.ts";
import { SESSION_STATUSES } from "#shared/contracts/statuses.ts";

/**
 * The kinds of notification for people and other systems, as webhooks name it. The database writes the rows of the outbox with these names,
 * and the executor those about budgets (`services/executor/persist/step-parts.ts`).
 */
export const NOTIFICATION_KINDS = [
  "session.started",
  "session.ended",
  "approval.requested",
  "budget.soft_limit",
  "budget.exceeded",
] as const;
/** The answer to a question that was asked in Slack goes to its thread, and to no other destination. */
export const OUTBOX_KINDS = [...NOTIFICATION_KINDS, "chat.answered"] as const;
export const NotificationKind = literals(NOTIFICATION_KINDS);
export type NotificationKind = Static<typeof NotificationKind>;

/**
 * The destinations of one session's news: the kinds by destination, `slack` or `webhook:<name>`. Stored with the session when it is
 * submitted.
 */
export const NotifyPlan = Type.Record(Type.String(), Type.Array(NotificationKind));
export type NotifyPlan = Static<typeof NotifyPlan>;

const Text = Type.Union([Type.String(), Type.Null()]);
/** ISO 8601, UTC. */
const Time = Type.String();

/** What the agents concluded as data, once its quotes were compared with the results. */
export const SentConclusion = Type.Object({
  /** As the check has it; unchecked: no conclusion could be read, and what follows is null or empty. */
  status: literals(CONCLUSION_STATUSES),
  stated_status: Type.Union([literals(STATED_STATUSES), Type.Null()]),
  /** In percent. */
  confidence: Type.Union([Type.Integer(), Type.Null()]),
  summary: Text,
  /** Best first. */
  causes: Conclusion.properties.causes,
  claims_verified: Type.Integer(),
  claims_total: Type.Integer(),
});
export type SentConclusion = Static<typeof SentConclusion>;

const Session = Type.Object({
  id: Type.String(),
  /** Its page. */
  url: Type.String(),
  alert_type: Text,
  chain_id: Type.String(),
  status: literals(SESSION_STATUSES),
  created_at: Time,
  started_at: Type.Union([Time, Type.Null()]),
  completed_at: Type.Union([Time, Type.Null()]),
  error_message: Text,
  executive_summary: Text,
  /** The first 20,000 characters. */
  final_analysis: Text,
  final_analysis_complete: Type.Boolean(),
  /** Absent for a session without one, and before its end. */
  conclusion: Type.Optional(SentConclusion),
});

const Approval = Type.Object({
  id: Type.String(),
  agent_name: Text,
  /** "server.tool" */
  tool: Type.String(),
  /** JSON text, the first 2,000 characters. */
  arguments: Type.String(),
  arguments_complete: Type.Boolean(),
  expires_at: Time,
});

/** Raised when a receiver that reads the version before could misunderstand a message; properties are added without that. */
export const WEBHOOK_MESSAGE_VERSION = 1;

const Envelope = {
  version: Type.Literal(WEBHOOK_MESSAGE_VERSION),
  /** When it happened; the time of the attempt is in the header webhook-timestamp. */
  timestamp: Time,
};

/** The body of a signed webhook. Receivers ignore properties and types that they do not know. */
export const WebhookMessage = Type.Union(
  [
    Type.Object({
      ...Envelope,
      type: Type.Union([Type.Literal("session.started"), Type.Literal("session.ended")]),
      data: Type.Object({ session: Session }),
    }),
    Type.Object({
      ...Envelope,
      type: Type.Literal("approval.requested"),
      data: Type.Object({ session: Session, approval: Approval }),
    }),
    Type.Object({
      ...Envelope,
      /** An agent concludes because a budget is nearly used up; one ended because there was no room for its call. */
      type: Type.Union([Type.Literal("budget.soft_limit"), Type.Literal("budget.exceeded")]),
      data: Type.Object({ session: Session, budget: BudgetCause }),
    }),
  ],
  { title: "WebhookMessage" },
);
export type WebhookMessage = Static<typeof WebhookMessage>;
