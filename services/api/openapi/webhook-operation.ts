import { WebhookMessage } from "#shared/contracts/webhook-message.ts";
import type { Components } from "./collect-components.ts";

const HEADERS = {
  "webhook-id": "the same at every attempt",
  "webhook-timestamp": "seconds since 1970 of this attempt",
  "webhook-signature": "v1, and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64",
};

/** What receivers of notifications are sent: the `webhooks` of the document. */
export function webhookOperation(components: Components): object {
  return {
    post: {
      operationId: "receiveNotification",
      tags: ["system"],
      summary: "A session started or ended, or a person must decide; sent to system.notifications.webhooks",
      // The signature stands in for a credential.
      security: [],
      parameters: Object.entries(HEADERS).map(([name, description]) => ({
        name,
        in: "header",
        required: true,
        description,
        schema: { type: "string" },
      })),
      requestBody: {
        required: true,
        content: { "application/json": { schema: components.use(WebhookMessage) } },
      },
      responses: {
        "2XX": { description: "received" },
        "410": { description: "nothing more is sent to this address" },
        "429": { description: "tried again, when Retry-After says" },
        "4XX": { description: "given up, but 408, 425 and 429" },
        "5XX": { description: "tried again" },
      },
    },
  };
}
