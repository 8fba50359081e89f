import { openEnvelope } from "#shared/alert-envelope.ts";
import { bodyText, type Body } from "../http/body-text.ts";
import { decodeJson } from "../http/read-json-body.ts";
import { RequestError, abbreviate } from "../http/request-error.ts";

/** What a source of alerts sent, without what services of delivery put around it. */
export type SentAlert = ReturnType<typeof openEnvelope>;

const FORM = "application/x-www-form-urlencoded";
/** Names and values without white space: `curl --data` gives texts and JSON the type of a form. */
const FIELDS = /^[^\s=&{[]+=[^\s&]*(?:&[^\s=&]+=[^\s&]*)*$/u;

/**
 * The one way from the body of a webhook to its alert, whatever its content type: charset, form, envelope. Throws RequestError 400 for
 * an empty body, 415 for one that is no text.
 */
export function readSent(body: Body): SentAlert {
  const text = bodyText(body);
  if (text.trim() === "") throw new RequestError(400, "request body is empty: it must be the alert");
  const isText = body.type.startsWith("text/") || /[/+](?:json|xml|x-www-form-urlencoded)$/u.test(body.type);
  if (
    body.type.startsWith("multipart/") ||
    (!isText && ["\u0000", "\uFFFD"].some((one) => text.includes(one)))
  ) {
    const given = body.type === "" ? "missing" : `'${abbreviate(body.type)}'`;
    throw new RequestError(
      415,
      `content type is ${given}, and the body is no text: send text/plain, another text or application/json`,
    );
  }
  return openEnvelope(body.type === FORM ? ofForm(text) : text);
}

/** The field `payload`, in which forms carry JSON; of another form all fields as JSON; else the text itself. */
function ofForm(text: string): string {
  if (!FIELDS.test(text.trim())) return text;
  const fields = new URLSearchParams(text.trim());
  return fields.get("payload") ?? JSON.stringify(Object.fromEntries(fields));
}

/** The value of a body that must be JSON. Throws RequestError 400. */
export function requireJson({ text, payload, layers }: SentAlert): unknown {
  return layers.length > 0 && typeof payload !== "string" ? payload : decodeJson(text);
}
