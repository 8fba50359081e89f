import type { IncomingMessage, IncomingHttpHeaders } from "node:http";
import { forbidden, unauthenticated, AccessRefused, tooMany } from "#shared/access/access-refused.ts";
import type { AccessConfig } from "#shared/access/access-config.ts";
import { checkHost } from "#shared/access/allowed-hosts.ts";
import { ApiKeys, pageKeyOf } from "#shared/access/api-keys.ts";
import {
  bearerToken,
  isPageOf,
  openAuthentication,
  tokenPageKey,
  type Authenticate,
} from "#shared/access/authenticate.ts";
import { ClientAddresses } from "#shared/access/client-address.ts";
import type { Identity } from "#shared/access/identity.ts";
import {
  givenPageCredential,
  issuePageCredential,
  type PageCredential,
} from "#shared/access/page-credential.ts";
import { PageSessions } from "#shared/access/page-sessions.ts";
import { secretEquals } from "#shared/access/secret-equals.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { RateLimit } from "#shared/access/rate-limit.ts";

/** The parts of a request that decide whether it gets in. */
type DoorRequest = Pick<IncomingMessage, "method" | "headers"> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/** Decides which requests get in and who makes them. Api and notifier have the same. */
export class Door {
  readonly #config: AccessConfig;
  readonly #keys: ApiKeys;
  readonly #sessions: PageSessions;
  readonly #authenticate: Authenticate;
  readonly #addresses: ClientAddresses;
  readonly #failures = new FailedAttempts();

  private constructor(
    config: AccessConfig,
    keys: ApiKeys,
    sessions: PageSessions,
    authenticate: Authenticate,
  ) {
    this.#config = config;
    this.#keys = keys;
    this.#sessions = sessions;
    this.#authenticate = authenticate;
    this.#addresses = new ClientAddresses(config.trustedProxies);
  }

  static async open(config: AccessConfig, db: Queryable): Promise<Door> {
    const keys = new ApiKeys(db);
    const sessions = new PageSessions(db);
    return new Door(config, keys, sessions, await openAuthentication(config.auth, keys, sessions));
  }

  /**
   * Checks the host and the page that a request comes from. Returns the origin that CORS headers have to name, if any.
   * Throws AccessRefused 421 or 403.
   */
  checkSite({ method = "GET", headers }: Pick<DoorRequest, "method" | "headers">): string | undefined {
    checkHost(headers.host, this.#config.hosts);
    return checkOrigin({ method, headers }, this.#config.origins);
  }

  /** Finds the identity of the request, whose token may also be for `audience`. Throws AccessRefused 401, 429 after many failures from one address, 503; database errors. */
  async identify(request: Pick<DoorRequest, "headers" | "socket">, audience?: string): Promise<Identity> {
    const address = this.addressOf(request);
    const identity = await this.#failures.count(address, () => this.#authenticate(request.headers, audience));
    if (identity.expiresAt !== undefined && identity.expiresAt <= Date.now()) {
      throw unauthenticated("the credential has expired");
    }
    return identity;
  }

  /**
   * Checks that a caller has proven who it is: what a page or program of this machine may do without a credential is not
   * enough. Throws AccessRefused 401, 403 where no such credential is set up, or 429 after many failures from one address.
   */
  async checkCredential({ headers, socket }: Pick<DoorRequest, "headers" | "socket">): Promise<void> {
    const { auth } = this.#config;
    // The other modes let no caller in without one.
    if (auth.mode !== "loopback") return;
    const { approvalToken } = auth;
    if (approvalToken === undefined) {
      throw forbidden(
        "tool calls cannot be approved or denied here: set APPROVAL_TOKEN, or use another AUTH_MODE",
      );
    }
    await this.#failures.count(this.addressOf({ headers, socket }), () => {
      const token = bearerToken(headers);
      if (token !== undefined && secretEquals(token, approvalToken)) return;
      const page = token === undefined ? givenPageCredential(headers) : undefined;
      if (page !== undefined && isPageOf(page, approvalToken)) return;
      throw unauthenticated(
        "approving tool calls needs the approval token as a bearer token: the contents of .tarsy/token, or APPROVAL_TOKEN",
      );
    });
  }

  /**
   * Exchanges the token or API key of a request for what lets a page in. Throws AccessRefused 401, 429 after many failures from one address; database errors.
   */
  async signIn({ headers, socket }: Pick<DoorRequest, "headers" | "socket">): Promise<PageCredential> {
    return this.#failures.count(this.addressOf({ headers, socket }), async () => {
      const bearer = bearerToken(headers);
      if (bearer === undefined) throw unauthenticated("no token: send it once as `Authorization: Bearer …`");
      const { auth } = this.#config;
      const token = auth.mode === "private" ? auth.token : undefined;
      const expected = auth.mode === "loopback" ? auth.approvalToken : token;
      if (expected !== undefined && secretEquals(bearer, expected)) {
        return issuePageCredential(tokenPageKey(expected));
      }
      const key = pageKeyOf(bearer);
      const isOther = auth.mode === "loopback" || auth.mode === "private";
      if (isOther || key === undefined || (await this.#keys.identify(bearer)) === undefined) {
        throw unauthenticated("the token is not valid");
      }
      return issuePageCredential(key);
    });
  }

  /**
   * Runs a check of another credential than the door's own, such as an alert source's token, as one of the attempts of the address.
   * Settles as `check` does, but with AccessRefused 429 instead of 401 after many failures from one address.
   */
  async attempt<T>(
    request: Pick<DoorRequest, "headers" | "socket">,
    check: () => T | Promise<T>,
  ): Promise<T> {
    return this.#failures.count(this.addressOf(request), check);
  }

  /** False once the identity's credential has expired, its API key is revoked or its person has signed out. Throws database errors. */
  async isActive({ keyId, pageSession, expiresAt }: Identity): Promise<boolean> {
    if (expiresAt !== undefined && expiresAt <= Date.now()) return false;
    if (pageSession !== undefined) return this.#sessions.isOpen(pageSession);
    return keyId === undefined || this.#keys.isActive(keyId);
  }

  /** The client's address; undefined if the request came through a proxy that is not trusted to name it. */
  addressOf({ headers, socket }: Pick<DoorRequest, "headers" | "socket">): string | undefined {
    return this.#addresses.of(headers, socket.remoteAddress);
  }
}

/** Failed authentications of one address that are answered with 401: at once, and then a second. */
const BURST = 300;
const PER_SECOND = 10;

/** Distinguishes those who try credentials. Never refuses a valid one: many clients may have one address. */
class FailedAttempts {
  readonly #limit = new RateLimit({ perSecond: PER_SECOND, burst: BURST });

  /** Settles as `attempt` does, but with AccessRefused 429 instead of 401 after too many failures from the address. */
  async count<T>(address: string | undefined, attempt: () => T | Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      const isFailure = error instanceof AccessRefused && error.status === 401;
      const seconds = isFailure && address !== undefined ? this.#limit.take(address) : 0;
      if (seconds > 0) throw tooMany("too many failed authentications from this address", seconds);
      throw error;
    }
  }
}

/** A browser sends these in `Sec-Fetch-Site` for its own pages and for what its user typed. */
const OWN_SITES = new Set(["same-origin", "none"]);
const AN_ORIGIN = /^(?:null|[a-z][\w+.-]{0,20}:\/\/[\w.:[\]-]{1,100})$/iu;
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Checks that a request comes from a page of this server, from a page of a listed origin, or from no page at all; the
 * `Host` must have been checked. Returns the origin that CORS headers have to name, undefined for our own pages and for
 * programs. Throws AccessRefused 403.
 */
function checkOrigin(
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
