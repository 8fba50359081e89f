import { createHmac } from "node:crypto";

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
