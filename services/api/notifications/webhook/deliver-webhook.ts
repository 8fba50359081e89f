import { WEBHOOK_MESSAGE_VERSION, type WebhookMessage } from "#shared/contracts/webhook-message.ts";
import { createHmac } from "node:crypto";
import type { Destination } from "../destination.ts";
import type { Outbound } from "../http/outbound.ts";
import { postNews } from "../http/outcome-of.ts";
import type { ApprovalNews, Notification, SessionNews } from "../notification.ts";
import type { WebhookReceiver } from "../read-settings.ts";

const PARALLEL = 4;

/** A receiver of signed webhooks. Each message is sent at least once; its id tells the receiver which are repeated. */
export function webhookReceiver(
  { name, url, address, secret }: WebhookReceiver,
  outbound: Outbound,
): Destination {
  return {
    name,
    address,
    parallel: PARALLEL,
    deliver: async (notification, _attempt, signal) => {
      if (notification.kind === "chat.answered") return { outcome: "refused", error: "is for Slack alone" };
      const body = JSON.stringify(webhookBody(notification));
      const headers = signWebhook({ id: notification.dedupKey, body, secret });
      return postNews(outbound, { url, body, headers }, signal);
    },
  };
}

/**
 * The headers of a signed webhook, as the Standard Webhooks specification has them: the id is the same at every attempt, the
 * timestamp that of the attempt, in seconds, and the signature covers both and the body.
 */
export function signWebhook(
  { id, body, secret }: { readonly id: string; readonly body: string; readonly secret: Buffer },
  nowMs = Date.now(),
): Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

type SentSession = WebhookMessage["data"]["session"];
type SentApproval = Extract<WebhookMessage, { readonly type: "approval.requested" }>["data"]["approval"];

/** The body of the webhook that tells of a notification. */
function webhookBody(
  notification: Exclude<Notification, { readonly kind: "chat.answered" }>,
): WebhookMessage {
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
  { session_id, fingerprint: _internal, is_from_slack: _also, is_analysis_complete, ...session }: SessionNews,
  url: string,
): SentSession {
  return { id: session_id, url, ...session, final_analysis_complete: is_analysis_complete };
}

function approvalOf({
  approval_id,
  arguments_hash: _hash,
  are_arguments_complete,
  ...approval
}: ApprovalNews): SentApproval {
  return { id: approval_id, ...approval, arguments_complete: are_arguments_complete };
}
