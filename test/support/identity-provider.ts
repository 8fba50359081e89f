import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { exportJWK, generateKeyPair } from "jose";
import { Provider, type Configuration } from "oidc-provider";

const CLIENT = { id: "tarsy", secret: "the-secret-of-the-client-0123456789abcdef" };

interface ProviderOptions {
  /** The address of the page. */
  readonly page: string;
  /** By the login, what the provider says of a person. */
  readonly people: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Leaves all but `sub` to userinfo, which is the library's default. */
  readonly onlyInUserinfo?: boolean;
}

/** `cut` resets every connection; `broken` answers as a proxy without a server does. */
type Outage = "none" | "cut" | "broken";

/** A real identity provider (OpenID Connect) on the loopback address, in which any password is right. */
export class TestIdentityProvider implements AsyncDisposable {
  readonly #server = createServer((request, response) => this.#handle(request, response));
  #handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  #outage: Outage = "none";
  issuer = "";

  private constructor() {}

  static async open(options: ProviderOptions): Promise<TestIdentityProvider> {
    const opened = new TestIdentityProvider();
    await once(opened.#server.listen(0, "127.0.0.1"), "listening");
    const address = opened.#server.address();
    opened.issuer = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    const provider = new Provider(opened.issuer, await configuration(options));
    const callback = provider.callback();
    opened.#handle = (request, response) => {
      if (opened.#outage === "cut") request.socket.destroy();
      else if (opened.#outage === "broken") response.writeHead(502).end("<h1>Bad Gateway</h1>");
      else void callback(request, response);
    };
    return opened;
  }

  /** The variables of an api whose people sign in here. */
  get environment() {
    return {
      AUTH_MODE: "jwt",
      AUTH_JWT_ISSUER: this.issuer,
      AUTH_JWT_AUDIENCE: "the-api",
      AUTH_JWT_JWKS_URL: `${this.issuer}/jwks`,
      AUTH_OIDC_CLIENT_ID: CLIENT.id,
      AUTH_OIDC_CLIENT_SECRET: CLIENT.secret,
      AUTH_OIDC_SCOPES: "openid profile groups",
    };
  }

  /** How it answers from now on. */
  set outage(outage: Outage) {
    this.#outage = outage;
    this.#server.closeAllConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

async function configuration({
  page,
  people,
  onlyInUserinfo = false,
}: ProviderOptions): Promise<Configuration> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  return {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${page}/api/v1/auth/callback`],
        post_logout_redirect_uris: [`${page}/`],
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: "RS256", use: "sig", kid: "one" }] },
    cookies: { keys: ["the-key-of-the-cookies"] },
    claims: { openid: ["sub"], profile: ["preferred_username"], groups: ["groups", "roles", "_claim_names"] },
    conformIdTokenClaims: onlyInUserinfo,
    ttl: { AccessToken: 600, IdToken: 600, Session: 600, Grant: 600, Interaction: 600 },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ ...people[sub], sub }) }),
    // The person is not asked for consent.
    async loadExistingGrant({ oidc: { client, session, provider } }) {
      const clientId = client?.clientId ?? "";
      const known = await provider.Grant.find(session?.grantIdFor(clientId) ?? "");
      if (known !== undefined) return known;
      const grant = new provider.Grant({ clientId, accountId: session?.accountId ?? "" });
      grant.addOIDCScope("openid profile groups");
      await grant.save();
      return grant;
    },
  };
}
