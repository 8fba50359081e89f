import { parseJson } from "#shared/parse-json.ts";
import { isJsonObject } from "#shared/json-object.ts";

/** An alert as it was sent, and as it is read. */
interface Opened {
  /** The text with the payload in place of its encoding; the same text where nothing was encoded. */
  readonly text: string;
  /** The content of the innermost envelope; a text that is not JSON as it is. */
  readonly payload: unknown;
  /** The JSON values around and including the payload, the outermost first; none of a text that is not JSON. */
  readonly layers: readonly unknown[];
}

/** The content of an envelope: as a text, as Base64, or as JSON in its place. */
type EnvelopeContent =
  | { readonly around: (payload: string) => object; readonly encoded: string }
  | { readonly plain: unknown };

/** A notification of a queue that carries an event of a bus that carries an alert: more is no sender's. */
const MAX_LAYERS = 4;
/** Stands for the payload while its envelope is written: no text of an envelope has it, because JSON escapes it. */
const PLACE = "\u0000payload\u0000";

/**
 * Opens what a delivery service puts around an alert: notifications of SNS and SQS, pushes of Pub/Sub, events of EventBridge, Event Grid
 * and Splunk, CloudEvents. What is encoded in there, as Base64 or as JSON within a text, comes back readable in its place, with the
 * members around it that are texts, numbers or booleans. All digits stay.
 */
export function openEnvelope(text: string, depth = 0): Opened {
  const quoted = depth < MAX_LAYERS ? quotedStructure(text) : undefined;
  if (quoted !== undefined) return openEnvelope(quoted, depth + 1);
  const value = structureOf(text);
  if (value === undefined) return { text, payload: text, layers: [] };
  const content = depth < MAX_LAYERS ? contentOf(value) : undefined;
  if (content === undefined) return { text, payload: value, layers: [value] };
  if ("plain" in content) {
    const layers = [value, content.plain];
    for (
      let inner = contentOf(content.plain);
      inner !== undefined && "plain" in inner && layers.length < MAX_LAYERS;
    ) {
      layers.push(inner.plain);
      inner = contentOf(inner.plain);
    }
    return { text, payload: layers.at(-1), layers };
  }
  const inner = openEnvelope(content.encoded, depth + 1);
  const isJson = inner.layers.length > 0;
  const around = content.around(PLACE);
  return {
    text: JSON.stringify(around).replace(JSON.stringify(PLACE), () =>
      isJson ? inner.text.trim() : JSON.stringify(inner.text),
    ),
    payload: inner.payload,
    layers: [content.around(""), ...inner.layers],
  };
}

/** The text that is encoded as Base64; undefined for what is none, or no text. */
export function decodeBase64Text(encoded: string): string | undefined {
  const compact = encoded.replaceAll(/\s/gu, "");
  if (compact === "" || !/^[\w+/-]+={0,2}$/u.test(compact)) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(compact, "base64"));
    return text.includes("\u0000") ? undefined : text;
  } catch {
    return undefined;
  }
}

function contentOf(value: unknown): EnvelopeContent | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const [only, ...others] = list;
  if (others.length > 0 || !isJsonObject(only)) return undefined;
  return (
    notification(only) ?? records(only) ?? push(only) ?? cloudEvent(only) ?? busEvent(only) ?? splunk(only)
  );
}

/** https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html */
function notification(value: Readonly<Record<string, unknown>>): EnvelopeContent | undefined {
  const { Message: encoded, TopicArn: topic, Type: type = "Notification" } = value;
  if (typeof encoded !== "string" || typeof topic !== "string" || type !== "Notification") return undefined;
  const { Subject, Timestamp } = value;
  return {
    encoded,
    around: (Message) => ({ ...scalars({ Subject }), Message, ...scalars({ TopicArn: topic, Timestamp }) }),
  };
}

/** The input of functions of AWS: one record with a notification, or with the body of a message of SQS. */
function records({ Records: value }: Readonly<Record<string, unknown>>): EnvelopeContent | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  const [only, ...others] = list;
  if (others.length > 0 || !isJsonObject(only)) return undefined;
  if (isJsonObject(only["Sns"])) return notification(only["Sns"]);
  const { body: encoded } = only;
  return typeof encoded === "string"
    ? { encoded, around: (body) => ({ ...scalars(only), body }) }
    : undefined;
}

/** https://cloud.google.com/pubsub/docs/push */
function push({ message, subscription }: Readonly<Record<string, unknown>>): EnvelopeContent | undefined {
  if (!isJsonObject(message) || typeof message["data"] !== "string") return undefined;
  const encoded = decodeBase64Text(message["data"]);
  if (encoded === undefined) return undefined;
  const attributes = isJsonObject(message["attributes"])
    ? { attributes: scalars(message["attributes"]) }
    : {};
  return {
    encoded,
    around: (data) => ({
      message: { ...scalars(message), ...attributes, data },
      ...scalars({ subscription }),
    }),
  };
}

/** https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md */
function cloudEvent(value: Readonly<Record<string, unknown>>): EnvelopeContent | undefined {
  if (typeof value["specversion"] !== "string") return undefined;
  const { data, data_base64: base64, ...attributes } = value;
  const encoded = typeof base64 === "string" ? decodeBase64Text(base64) : data;
  if (typeof encoded === "string") {
    return { encoded, around: (text) => ({ ...scalars(attributes), data: text }) };
  }
  return data === undefined || data === null ? undefined : { plain: data };
}

/** Events of EventBridge and of Event Grid. */
function busEvent(value: Readonly<Record<string, unknown>>): EnvelopeContent | undefined {
  if (typeof value["detail-type"] === "string" && isJsonObject(value["detail"])) {
    return { plain: value["detail"] };
  }
  const isGrid = typeof value["eventType"] === "string" && typeof value["eventTime"] === "string";
  return isGrid && isJsonObject(value["data"]) ? { plain: value["data"] } : undefined;
}

/** The alert of a saved search, and of its collector of events. */
function splunk(value: Readonly<Record<string, unknown>>): EnvelopeContent | undefined {
  if (typeof value["search_name"] === "string" && isJsonObject(value["result"])) {
    return { plain: value["result"] };
  }
  return typeof value["sourcetype"] === "string" && isJsonObject(value["event"])
    ? { plain: value["event"] }
    : undefined;
}

/** The members that need no recursion to be written: what is nested too deeply could not be. */
function scalars(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).filter(([, one]) => ["string", "number", "boolean"].includes(typeof one)),
  );
}

/** The text of JSON that a sender has encoded twice. */
function quotedStructure(text: string): string | undefined {
  if (!/^\s*"\s*(?:[[{]|\\)/u.test(text)) return undefined;
  try {
    const inner: unknown = JSON.parse(text);
    return typeof inner === "string" && structureOf(inner) !== undefined ? inner : undefined;
  } catch {
    return undefined;
  }
}

/** The JSON array or object that the text is; undefined for any other text, and for one that is nested too deeply. */
function structureOf(text: string): unknown {
  if (!/^\s*[[{]/u.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
