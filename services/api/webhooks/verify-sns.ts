import { createVerify, X509Certificate, type KeyObject } from "node:crypto";
import { LRUCache } from "lru-cache";
import { tooMany, unauthenticated } from "#shared/access/access-refused.ts";
import { RateLimit } from "#shared/access/rate-limit.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { bodyText, type Body } from "../http/body-text.ts";
import { decodeJson } from "../http/read-json-body.ts";
import { RequestError } from "../http/request-error.ts";
import { NoAnswerError, type Outbound } from "../notifications/http/outbound.ts";
import { parserOf } from "./body-parser.ts";
import type { WebhookHandshake } from "./contract.ts";

const Text = Type.String();
const Message = Type.Object(
  {
    Type: Text,
    MessageId: Text,
    TopicArn: Text,
    Message: Text,
    Timestamp: Text,
    SignatureVersion: Text,
    Signature: Text,
    SigningCertURL: Text,
    Subject: Type.Optional(Type.Union([Text, Type.Null()])),
    Token: Type.Optional(Text),
    SubscribeURL: Type.Optional(Text),
  },
  { additionalProperties: true },
);
type Message = Static<typeof Message>;
/** Reads a decoded body. Throws RequestError 400 naming the field. */
const parseMessage = parserOf(Message);

/** https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message-verify-message-signature.html */
const SIGNED = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: [
    "Message",
    "MessageId",
    "SubscribeURL",
    "Timestamp",
    "Token",
    "TopicArn",
    "Type",
  ],
  UnsubscribeConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
} as const;
const ALGORITHMS: Readonly<Record<string, string>> = { "1": "RSA-SHA1", "2": "RSA-SHA256" };
/** Amazon SNS repeats what was not received for an hour. */
const MAX_AGE_MS = 60 * 60_000;
const CERTIFICATE = /^\/SimpleNotificationService-\w+\.pem$/u;
const REQUEST = { method: "GET", headers: {}, timeoutMs: 5_000, maxBytes: 16_384 } as const;
const NEVER = new AbortController().signal;

/** Where Amazon SNS answers for a region. */
export function snsOrigin(region: string): string {
  return `https://sns.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
}

/**
 * Returns what checks that a body is signed by Amazon SNS for one of the topics, and confirms subscriptions: it resolves with the answer to
 * one, undefined for a notification. Nothing but certificates and confirmations is asked for, and only at the origin of the
 * topic's region. Rejects with AccessRefused 401, RequestError 400, and 503 if Amazon SNS does not answer.
 */
export function snsVerifier({
  outbound,
  originOf = snsOrigin,
}: {
  readonly outbound: Outbound;
  readonly originOf?: ((region: string) => string) | undefined;
}): (body: Body, topics: readonly string[]) => Promise<WebhookHandshake | undefined> {
  const keys = new LRUCache<string, Promise<KeyObject>>({ max: 20, ttl: 24 * MAX_AGE_MS });
  // What is not signed can make the api ask for certificates.
  const fetches = new RateLimit({ perSecond: 1, burst: 10 });
  const get = async (url: URL) => {
    try {
      const { status, text } = await outbound.send(url, REQUEST, NEVER);
      if (status === 200) return text;
      throw new NoAnswerError(`status ${status}`);
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      throw new RequestError(503, `Amazon SNS does not answer at ${url.host}: ${error.message}`, {
        retryAfterSeconds: 20,
      });
    }
  };
  const keyAt = async (url: URL) => {
    const known = keys.get(url.href);
    if (known !== undefined) return known;
    const wait = fetches.take("all");
    if (wait > 0) throw tooMany("too many certificates of Amazon SNS are asked for", wait);
    // Notifications that come at once wait for one answer.
    const key = get(url).then(keyOf);
    keys.set(url.href, key);
    key.catch(() => keys.delete(url.href));
    return key;
  };
  return async (body, topics) => {
    const message = parseMessage(decodeJson(bodyText(body)));
    const { Type: type, TopicArn: topic, SubscribeURL: subscribeUrl = "" } = message;
    if (!topics.includes(topic)) {
      throw unauthenticated("the notification is of no topic that the source names");
    }
    const origin = originOf(topic.split(":")[3] ?? "");
    const certificate = urlAt(origin, message.SigningCertURL);
    if (certificate === undefined || !CERTIFICATE.test(certificate.href.slice(certificate.origin.length))) {
      throw unauthenticated(`SigningCertURL must be a certificate at ${origin}`);
    }
    if (!isSignedBy(await keyAt(certificate), message)) {
      throw unauthenticated("Signature is not that of this notification, or Timestamp is too old");
    }
    if (type === "UnsubscribeConfirmation") return { message: "Unsubscribed" };
    if (type !== "SubscriptionConfirmation") return undefined;
    const confirm = urlAt(origin, subscribeUrl);
    if (confirm === undefined) throw unauthenticated(`SubscribeURL must be at ${origin}`);
    await get(confirm);
    return { message: "Subscription confirmed" };
  };
}

/** The address if it is at exactly this origin. */
function urlAt(origin: string, text: string): URL | undefined {
  const url = URL.parse(text);
  return url?.origin === new URL(origin).origin ? url : undefined;
}

function keyOf(pem: string): KeyObject {
  try {
    return new X509Certificate(pem).publicKey;
  } catch {
    throw unauthenticated("SigningCertURL is no certificate");
  }
}

function isSignedBy(key: KeyObject, message: Message): boolean {
  const { Type: type, SignatureVersion: version, Signature: signature } = message;
  const names = Object.entries(SIGNED).find(([name]) => name === type)?.[1];
  const algorithm = ALGORITHMS[version];
  if (names === undefined || algorithm === undefined) return false;
  if (!(Math.abs(Date.now() - Date.parse(message.Timestamp)) <= MAX_AGE_MS)) return false;
  const verify = createVerify(algorithm);
  for (const name of names) {
    const value = message[name];
    if (value !== undefined && value !== null) verify.update(`${name}\n${value}\n`);
  }
  return verify.verify(key, signature, "base64");
}
