import type { WebhookHandshake } from "./contract.ts";
import { RequestError, abbreviate } from "../http/request-error.ts";
import type { SentAlert } from "./read-sent.ts";

const TESTED = "Test received: an alert would start a session here";

/**
 * The answer to what a source sends to learn whether it may send alerts, or whether they arrive; undefined for an alert. Throws RequestError 400
 * for a subscription of Amazon SNS, whose confirmation takes a request to an address of the sender's choice.
 */
export function handshakeAnswer({ layers }: SentAlert): WebhookHandshake | undefined {
  for (const layer of layers) {
    const list: readonly unknown[] = Array.isArray(layer) ? layer : [layer];
    const [value] = list;
    if (typeof value !== "object" || value === null) continue;
    const answer = answerTo(value);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

function answerTo(value: object): WebhookHandshake | undefined {
  const type = textOf(value, "type");
  if (/^(?:Subscription|Unsubscribe)Confirmation$/u.test(textOf(value, "Type"))) {
    throw new RequestError(
      400,
      `subscriptions of Amazon SNS are not confirmed by themselves: an operator confirms this one with \`aws sns confirm-subscription --topic-arn ${abbreviate(textOf(value, "TopicArn"))} --token\` and the Token of this request, which is not stored`,
    );
  }
  if (type === "url_verification") return { challenge: textOf(value, "challenge") };
  if (textOf(value, "eventType") === "Microsoft.EventGrid.SubscriptionValidationEvent") {
    return { validationResponse: textOf(memberOf(value, "data"), "validationCode") };
  }
  const isTest =
    textOf(memberOf(value, "event"), "event_type") === "pagey.ping" ||
    isGrafanaTest(value) ||
    isDatadogTest(value);
  return isTest ? { message: TESTED } : undefined;
}

/** What the button "Test" of a contact point sends. */
function isGrafanaTest(value: object): boolean {
  const alerts: unknown = Reflect.get(value, "alerts");
  return (
    Array.isArray(alerts) &&
    alerts.length > 0 &&
    alerts.every((alert: unknown) => {
      const labels = typeof alert === "object" && alert !== null ? memberOf(alert, "labels") : {};
      return textOf(labels, "alertname") === "TestAlert" && textOf(labels, "instance") === "Grafana";
    })
  );
}

/** The template of a webhook as Datadog proposes it, or as our documentation prints it, with the title of a test. */
function isDatadogTest(value: object): boolean {
  const has = (...names: readonly string[]) => names.every((name) => Object.hasOwn(value, name));
  const isDatadog = has("event_type", "last_updated", "org") || has("aggreg_key", "cycle_key", "transition");
  return isDatadog && /^\[test\]/iu.test(textOf(value, "title"));
}

function memberOf(value: object, name: string): object {
  const member: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
  return typeof member === "object" && member !== null ? member : {};
}

function textOf(value: object, name: string): string {
  const member: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
  return typeof member === "string" ? member : "";
}
