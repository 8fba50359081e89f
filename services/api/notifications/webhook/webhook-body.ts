import { WEBHOOK_MESSAGE_VERSION, type WebhookMessage } from "#shared/contracts/webhook-message.ts";
import type { ApprovalNews, Notification, SessionNews } from "../notification.ts";

type Session = WebhookMessage["data"]["session"];
type Approval = Extract<WebhookMessage, { readonly type: "approval.requested" }>["data"]["approval"];

/** The body of the webhook that tells of a notification. */
export function webhookBody(notification: Notification): WebhookMessage {
  const { at: timestamp, kind, url } = notification;
  const envelope = { version: WEBHOOK_MESSAGE_VERSION, timestamp } as const;
  const session = sessionOf(notification.session, url);
  switch (kind) {
    case "session.started":
    case "session.ended":
      return { type: kind, ...envelope, data: { session } };
    case "approval.requested":
      return { type: kind, ...envelope, data: { session, approval: approvalOf(notification.approval) } };
    case "budget.soft_limit":
    case "budget.exceeded":
      return { type: kind, ...envelope, data: { session, budget: notification.budget } };
    default:
      return kind satisfies never;
  }
}

function sessionOf(
  { session_id, fingerprint: _internal, is_analysis_complete, ...session }: SessionNews,
  url: string,
): Session {
  return { id: session_id, url, ...session, final_analysis_complete: is_analysis_complete };
}

function approvalOf({ approval_id, are_arguments_complete, ...approval }: ApprovalNews): Approval {
  return { id: approval_id, ...approval, arguments_complete: are_arguments_complete };
}
