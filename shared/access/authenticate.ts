import type { IncomingHttpHeaders } from "node:http";
import { isUtf8 } from "node:buffer";
import { unauthenticated } from "#shared/access/access-refused.ts";
import type { AuthConfig, RoleRules } from "#shared/access/access-config.ts";
import { looksLikeApiKey, type ApiKeys } from "#shared/access/api-keys.ts";
import { grantedRoles } from "#shared/access/granted-roles.ts";
import type { Identity } from "#shared/access/identity.ts";
import { openJwtVerifier } from "#shared/access/jwt-verifier.ts";
import {
  givenPageCredential,
  isPageCredentialOf,
  type GivenPageCredential,
  type PageKey,
} from "#shared/access/page-credential.ts";
import type { PageSessions } from "#shared/access/page-sessions.ts";
import { NO_USER } from "#shared/contracts/no-user.ts";
import { secretEquals, sha256 } from "#shared/access/secret-equals.ts";
import { namesSomeone } from "#shared/access/names-someone.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";

/**
 * Finds out who makes a request. `audience` is one more that a token may be for. Throws or rejects with AccessRefused 401 or 503, and
 * database errors.
 */
export type Authenticate = (headers: IncomingHttpHeaders, audience?: string) => Identity | Promise<Identity>;

const HOW = "send one as `Authorization: Bearer …`";

/** Prepares the authentication of a mode. API keys and sessions of the page are accepted beside the tokens of a provider. */
export async function openAuthentication(
  auth: AuthConfig,
  keys: ApiKeys,
  sessions: PageSessions,
): Promise<Authenticate> {
  // This mode authenticates no caller: the proxy's headers are a label, and give no rights.
  if (auth.mode === "loopback") return (headers) => anyone("loopback", ["operator"], headers);
  if (auth.mode === "private") return (headers) => byToken(headers, auth.token);
  const withoutKey = await openWithoutKey(auth);
  return (headers, audience) => {
    const bearer = bearerToken(headers);
    if (bearer !== undefined) {
      return looksLikeApiKey(bearer) ? byKey(keys, bearer) : withoutKey(headers, bearer, audience);
    }
    const page = givenPageCredential(headers);
    if (page !== undefined) return byPage(keys, page);
    if (auth.mode !== "jwt") return withoutKey(headers, bearer, audience);
    return sessions.identify(headers).then((person) => person ?? withoutKey(headers, bearer, audience));
  };
}

type WithoutKey = (
  headers: IncomingHttpHeaders,
  bearer: string | undefined,
  audience: string | undefined,
) => Identity | Promise<Identity>;

async function openWithoutKey(
  auth: Exclude<AuthConfig, { mode: "loopback" | "private" }>,
): Promise<WithoutKey> {
  if (auth.mode === "proxy") return (headers) => byProxy(headers, auth);
  if (auth.mode === "token") {
    return () => {
      throw unauthenticated(`no API key: ${HOW}`);
    };
  }
  const { header } = auth.jwt;
  const verify = await openJwtVerifier(auth.jwt, auth.roles);
  return (headers, bearer, audience) => {
    const token = header === "authorization" ? bearer : headers[header];
    if (typeof token !== "string" || token === "") throw unauthenticated(`no token: ${HOW}`);
    return verify(token, audience);
  };
}

function byToken(headers: IncomingHttpHeaders, expected: string): Identity {
  const token = bearerToken(headers);
  const page = givenPageCredential(headers);
  if (token === undefined && page !== undefined && isPageOf(page, expected)) {
    return { ...anyone("private", ["admin"], {}), expiresAt: page.expiresAt };
  }
  if (token === undefined) throw unauthenticated(`no token: ${HOW}`);
  if (!secretEquals(token, expected)) throw unauthenticated("the token is not valid");
  return anyone("private", ["admin"], {});
}

/** The name of a mode's one token in the credentials of pages. */
const ONE_TOKEN = "token";

/** The key of the mode's one token, for the credential of a page. */
export function tokenPageKey(token: string): PageKey {
  return { id: ONE_TOKEN, secretHash: sha256(token) };
}

/** True if a page's credential was made from this token. */
export function isPageOf(page: GivenPageCredential, token: string): boolean {
  return page.keyId === ONE_TOKEN && isPageCredentialOf(page, sha256(token));
}

async function byPage(keys: ApiKeys, page: GivenPageCredential): Promise<Identity> {
  const identity = await keys.identifyPage(page);
  if (identity === undefined) {
    throw unauthenticated("the page is signed out: its API key is revoked or has expired");
  }
  return identity;
}

function anyone(
  via: "loopback" | "private",
  roles: Identity["roles"],
  headers: IncomingHttpHeaders,
): Identity {
  return { subject: via, name: forwardedUser(headers) ?? NO_USER, roles, teams: [], via };
}

async function byKey(keys: ApiKeys, key: string): Promise<Identity> {
  const identity = await keys.identify(key);
  if (identity === undefined) throw unauthenticated("the API key is unknown, revoked or expired");
  return identity;
}

function byProxy(
  headers: IncomingHttpHeaders,
  { secret, roles }: { readonly secret: string; readonly roles: RoleRules },
): Identity {
  const given = headers["x-tarsy-proxy-secret"];
  if (typeof given !== "string" || !secretEquals(given, secret)) {
    throw unauthenticated("requests must come through the proxy: its header X-Tarsy-Proxy-Secret is missing");
  }
  const user = forwardedUser(headers);
  if (user === undefined) {
    throw unauthenticated("the proxy names no user: X-Forwarded-User, X-Forwarded-Email or X-Remote-User");
  }
  const groups = forwardedGroups(headers);
  return {
    subject: user,
    name: user,
    roles: grantedRoles(groups, roles, { areRoles: false }),
    teams: groups,
    via: "proxy",
  };
}

/** The token of an `Authorization: Bearer` header; undefined without one. */
export function bearerToken({ authorization }: IncomingHttpHeaders): string | undefined {
  return /^bearer +(?<token>[^\s,]+)$/iu.exec(authorization ?? "")?.groups?.["token"];
}

const USER_HEADERS = ["x-forwarded-user", "x-forwarded-email", "x-remote-user"] as const;

/** The user that an authenticating proxy names, from the first header that it sets; undefined if it sets none. */
function forwardedUser(headers: IncomingHttpHeaders): string | undefined {
  return USER_HEADERS.map((header) => headerText(headers[header])).find(namesSomeone);
}

/** The user's groups, separated by commas. */
function forwardedGroups(headers: IncomingHttpHeaders): string[] {
  return headerText(headers["x-forwarded-groups"])
    .split(",")
    .map((group) => group.trim())
    .filter((group) => group !== "");
}

function headerText(value: string | string[] | undefined): string {
  const text = String(value ?? "");
  // Node decodes headers as Latin-1, but proxies send UTF-8.
  const bytes = Buffer.from(text, "latin1");
  return postgresSafeText(isUtf8(bytes) ? bytes.toString("utf8") : text).text;
}
