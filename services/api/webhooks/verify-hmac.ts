import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { secretEquals } from "#shared/access/secret-equals.ts";
import type { HmacVerification } from "./read-webhooks.ts";

/** There are several while a secret is replaced. */
const MAX_SIGNATURES = 10;
const MAX_AGE_MS = 5 * 60_000;

/** True if one of the signatures in the source's header is that of the body, and of a time at most 5 minutes away if it has one. */
export function isSigned(
  body: Buffer,
  headers: IncomingHttpHeaders,
  { secret, header, prefix, encoding, timestampHeader, signed }: HmacVerification,
  nowMs = Date.now(),
): boolean {
  const timestamp = timestampHeader === undefined ? "" : String(headers[timestampHeader.toLowerCase()]);
  if (timestampHeader !== undefined && !(Math.abs(nowMs - Number(timestamp) * 1_000) <= MAX_AGE_MS)) {
    return false;
  }
  const [before = "", after = ""] = signed.replaceAll("{timestamp}", () => timestamp).split("{body}", 2);
  const digest = createHmac("sha256", secret).update(before).update(body).update(after).digest(encoding);
  return String(headers[header.toLowerCase()] ?? "")
    .split(",", MAX_SIGNATURES)
    .some((signature) => secretEquals(signature.trim(), `${prefix}${digest}`));
}
