import type { IncomingHttpHeaders } from "node:http";
import { forbidden } from "#shared/access/access-refused.ts";

/** A browser sends these in `Sec-Fetch-Site` for its own pages and for what its user typed. */
const OWN_SITES = new Set(["same-origin", "none"]);
const AN_ORIGIN = /^(?:null|[a-z][\w+.-]{0,20}:\/\/[\w.:[\]-]{1,100})$/iu;
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Checks that a request comes from a page of this server, from a page of a listed origin, or from no page at all; the
 * `Host` must have been checked. Returns the origin that CORS headers have to name, undefined for our own pages and for
 * programs. Throws AccessRefused 403.
 */
export function checkOrigin(
  { method, headers }: { readonly method: string; readonly headers: IncomingHttpHeaders },
  allowed: ReadonlySet<string>,
): string | undefined {
  const { origin, host } = headers;
  if (origin !== undefined) {
    if (allowed.has(origin)) return origin;
    if (isOwn(origin, host)) return undefined;
    // Any text may stand there, and the audit log has what is answered.
    throw foreign(AN_ORIGIN.test(origin) ? `origin '${origin}'` : "an origin that is none");
  }
  const site = headers["sec-fetch-site"];
  if (SAFE_METHODS.has(method) || site === undefined || OWN_SITES.has(site)) return undefined;
  throw foreign("another site");
}

/** True if the page was loaded from the host that the request names; the scheme may differ behind a proxy that ends TLS. */
function isOwn(origin: string, host: string | undefined): boolean {
  const url = URL.parse(origin);
  if (url === null || url.origin !== origin || !/^https?:$/u.test(url.protocol)) return false;
  return host !== undefined && url.host === URL.parse(`${url.protocol}//${host}`)?.host;
}

function foreign(from: string) {
  return forbidden(`requests from pages of ${from} are not allowed: add its origin to ALLOWED_ORIGINS`);
}
