import type { IncomingMessage } from "node:http";
import { unauthenticated } from "#shared/access/access-refused.ts";
import type { AccessConfig } from "#shared/access/access-config.ts";
import { checkHost } from "#shared/access/allowed-hosts.ts";
import { ApiKeys } from "#shared/access/api-keys.ts";
import { openAuthentication, type Authenticate } from "#shared/access/authenticate.ts";
import { checkOrigin } from "#shared/access/check-origin.ts";
import { ClientAddresses } from "#shared/access/client-address.ts";
import { FailedAttempts } from "#shared/access/failed-attempts.ts";
import type { Identity } from "#shared/access/identity.ts";
import type { Queryable } from "#shared/database/queryable.ts";

/** What of a request decides whether it gets in. */
type DoorRequest = Pick<IncomingMessage, "method" | "headers"> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/** Decides which requests get in and who makes them. Api and notifier have the same. */
export class Door {
  readonly #config: AccessConfig;
  readonly #keys: ApiKeys;
  readonly #authenticate: Authenticate;
  readonly #addresses: ClientAddresses;
  readonly #failures = new FailedAttempts();

  private constructor(config: AccessConfig, keys: ApiKeys, authenticate: Authenticate) {
    this.#config = config;
    this.#keys = keys;
    this.#authenticate = authenticate;
    this.#addresses = new ClientAddresses(config.trustedProxies);
  }

  static async open(config: AccessConfig, db: Queryable): Promise<Door> {
    const keys = new ApiKeys(db);
    return new Door(config, keys, await openAuthentication(config.auth, keys));
  }

  /**
   * Checks the host and the page that a request comes from. Returns the origin that CORS headers have to name, if any.
   * Throws AccessRefused 421 or 403.
   */
  checkSite({ method = "GET", headers }: Pick<DoorRequest, "method" | "headers">): string | undefined {
    checkHost(headers.host, this.#config.hosts);
    return checkOrigin({ method, headers }, this.#config.origins);
  }

  /** Who makes the request. Throws AccessRefused 401, 429 after many failures from one address, 503; database errors. */
  async identify(request: Pick<DoorRequest, "headers" | "socket">): Promise<Identity> {
    const address = this.addressOf(request);
    const identity = await this.#failures.count(address, () => this.#authenticate(request.headers));
    if (identity.expiresAt !== undefined && identity.expiresAt <= Date.now()) {
      throw unauthenticated("the credential has expired");
    }
    return identity;
  }

  /** False once the identity's credential has expired or its API key is revoked. Throws database errors. */
  async isActive({ keyId, expiresAt }: Identity): Promise<boolean> {
    if (expiresAt !== undefined && expiresAt <= Date.now()) return false;
    return keyId === undefined || this.#keys.isActive(keyId);
  }

  /** The client's address; undefined if the request came through a proxy that is not trusted to name it. */
  addressOf({ headers, socket }: Pick<DoorRequest, "headers" | "socket">): string | undefined {
    return this.#addresses.of(headers, socket.remoteAddress);
  }
}
