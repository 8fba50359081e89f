import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/*
 * What lets a page of a browser in, made from a token or an API key. It has two halves, and a request needs both:
 *
 * - the cookie, which no script can read and no other site can cause to be sent: `<key id>.<expiry>.<random>`;
 * - the proof, which the page keeps in the storage of its origin and sends as a header: an HMAC of the cookie with the digest
 *   of the secret.
 *
 * A cookie alone would go to every port of a host, so that another user's server on this machine could collect it; and a form
 * of another page could use it. The server stores neither half: a revoked key or a changed token ends both.
 */

/** The cookie with one half. */
const PAGE_COOKIE = "tarsy_page";
/** The header with the other half. */
export const PAGE_HEADER = "x-tarsy-page";

const LIFETIME_MS = 7 * 24 * 3_600_000;
const COOKIE = /^(?<keyId>[\w-]{1,40})\.(?<expiry>\d{13})\.(?<random>[\w-]{43})$/u;

/** The secret that a credential is made from. */
export interface PageKey {
  readonly id: string;
  /** The digest of the secret. */
  readonly secretHash: Buffer;
}

export interface PageCredential {
  readonly cookie: string;
  readonly proof: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A credential as a request brings it, not verified yet. */
export interface GivenPageCredential extends PageCredential {
  readonly keyId: string;
}

/** Makes a credential that is valid for a week. */
export function issuePageCredential({ id, secretHash }: PageKey, now = Date.now()): PageCredential {
  const expiresAt = now + LIFETIME_MS;
  const cookie = `${id}.${expiresAt}.${randomBytes(32).toString("base64url")}`;
  return { cookie, proof: proofOf(cookie, secretHash).toString("base64url"), expiresAt };
}

/** Both halves of a request's credential; undefined if one is missing, malformed or expired. */
export function givenPageCredential(
  headers: IncomingHttpHeaders,
  now = Date.now(),
): GivenPageCredential | undefined {
  const proof = headers[PAGE_HEADER];
  const cookie = cookieOf(headers, PAGE_COOKIE);
  const { keyId, expiry } = COOKIE.exec(cookie)?.groups ?? {};
  if (typeof proof !== "string" || proof === "") return undefined;
  if (keyId === undefined || expiry === undefined) return undefined;
  const expiresAt = Number(expiry);
  return expiresAt <= now ? undefined : { keyId, cookie, proof, expiresAt };
}

/** True if the credential was made from this secret. */
export function isPageCredentialOf({ cookie, proof }: GivenPageCredential, secretHash: Buffer): boolean {
  const given = Buffer.from(proof, "base64url");
  const expected = proofOf(cookie, secretHash);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The header that gives a browser the cookie, or takes it away if there is no credential. */
export function pageCookieHeader(
  credential: PageCredential | undefined,
  { secure }: { readonly secure: boolean },
): string {
  const age = credential === undefined ? 0 : Math.floor(LIFETIME_MS / 1_000);
  const flags = `Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
  return `${PAGE_COOKIE}=${credential?.cookie ?? ""}; ${flags}`;
}

function proofOf(cookie: string, secretHash: Buffer): Buffer {
  return createHmac("sha256", secretHash).update(`tarsy page ${cookie}`).digest();
}

/** The value of a cookie; empty without it. */
export function cookieOf({ cookie = "" }: IncomingHttpHeaders, wanted: string): string {
  for (const part of cookie.split(";")) {
    const [name = "", value = ""] = part.trim().split("=", 2);
    if (name === wanted) return value;
  }
  return "";
}
