import { hkdfSync } from "node:crypto";
import { EncryptJWT, jwtDecrypt } from "jose";
import * as oidc from "openid-client";
import { AccessRefused, forbidden, unauthenticated } from "#shared/access/access-refused.ts";
import type { Identity } from "#shared/access/identity.ts";
import { claimedTexts, identityOf } from "#shared/access/jwt-verifier.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { coerceError, errorMessage } from "#shared/errors.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { Logger } from "#shared/service/logger.ts";
import { SIGN_IN } from "./contract.ts";
import { FLOW_SECONDS, type SignInSettings } from "./read-sign-in.ts";

/** Of one request to the provider. */
const TIMEOUT_SECONDS = 5;
/** Errors of the library that mean that the provider does not answer as it should. */
const NO_ANSWER: ReadonlySet<string | undefined> = new Set([
  "OAUTH_TIMEOUT",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_PARSE_ERROR",
]);
const AGAIN = "sign in again";

const parseFlow = compileParser(
  "sign-in",
  Type.Object({ state: Type.String(), verifier: Type.String(), nonce: Type.String(), to: Type.String() }),
);
const parseKept = compileParser("ID token", Type.Object({ idToken: Type.String() }));

interface SignedIn {
  readonly identity: Identity;
  /** The ID token, sealed. */
  readonly idToken: string;
  /** The address on the page that the person wanted. */
  readonly to: string;
}

/**
 * Signs people in with an identity provider: the code flow of OpenID Connect with PKCE. It keeps nothing: what a sign-in needs later is sealed
 * with a key made from the client secret, and the browser or a row keeps it, so that any api can finish it.
 */
export class IdentityProvider {
  readonly #settings: SignInSettings;
  readonly #log: Logger;
  readonly #key: Uint8Array;
  #discovering: Promise<oidc.Configuration> | undefined;

  constructor(settings: SignInSettings, log: Logger) {
    this.#settings = settings;
    this.#log = log;
    this.#key = new Uint8Array(hkdfSync("sha256", settings.clientSecret, "", "tarsy page sign-in", 32));
  }

  /** Begins a sign-in that leads to `to`: where the browser goes, and what it keeps under `state`. Throws AccessRefused 503. */
  async begin(to: string): Promise<{ readonly url: string; readonly state: string; readonly flow: string }> {
    const server = await this.#discovered();
    const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
    const url = oidc.buildAuthorizationUrl(server, {
      redirect_uri: this.#settings.publicUrl + SIGN_IN.finishSignIn.path,
      scope: this.#settings.scope,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    return { url: url.href, state, flow: await this.#seal({ state, verifier, nonce, to }, FLOW_SECONDS) };
  }

  /**
   * Finishes a sign-in with the provider's answer, which is the query of the callback. Throws AccessRefused: 401 for an answer that is not
   * valid, 403 for a person who may not use TARSy, 503 while the provider does not answer.
   */
  async finish(query: string, sealedFlow: string): Promise<SignedIn> {
    const flow = await this.#unseal(sealedFlow).then(parseFlow, () => {
      throw unauthenticated(
        `this sign-in was begun in another browser, is finished or took longer than ${FLOW_SECONDS / 60} minutes: ${AGAIN}`,
      );
    });
    const server = await this.#discovered();
    // The address of this request is the proxy's choice; the provider knows the configured one.
    const answer = new URL(`${this.#settings.publicUrl}${SIGN_IN.finishSignIn.path}?${query}`);
    const checks = { pkceCodeVerifier: flow.verifier, expectedState: flow.state, expectedNonce: flow.nonce };
    try {
      const tokens = await oidc.authorizationCodeGrant(server, answer, { ...checks, idTokenExpected: true });
      const { id_token: idToken = "" } = tokens;
      const identity = this.#admit(await this.#claimsOf(server, tokens));
      return { identity, idToken: await this.#seal({ idToken }), to: flow.to };
    } catch (error) {
      throw error instanceof AccessRefused ? error : this.#refusalOf(error);
    }
  }

  /** Where the browser ends the provider's own session, and comes back from; the page where the provider has no such address. */
  async endUrl(sealedIdToken: string): Promise<string> {
    const page = `${this.#settings.publicUrl}/`;
    try {
      const { idToken } = parseKept(await this.#unseal(sealedIdToken));
      const parameters = { id_token_hint: idToken, post_logout_redirect_uri: page };
      return oidc.buildEndSessionUrl(await this.#discovered(), parameters).href;
    } catch {
      // The provider has no such address, is away, or the secret is another one now: the person is signed out here.
      return page;
    }
  }

  /** The claims of the ID token, with those of userinfo where roles or teams are not among them. */
  async #claimsOf(
    server: oidc.Configuration,
    tokens: Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>,
  ) {
    const claims = tokens.claims() ?? { sub: "" };
    const { rolesClaim, teamsClaim } = this.#settings.claims;
    const isComplete = [rolesClaim, teamsClaim].every((name) => claimedTexts(claims, name).length > 0);
    if (isComplete || server.serverMetadata().userinfo_endpoint === undefined) return claims;
    return { ...(await oidc.fetchUserInfo(server, tokens.access_token, claims.sub)), ...claims };
  }

  #admit(claims: Parameters<typeof identityOf>[0]): Identity {
    const { rolesClaim, teamsClaim } = this.#settings.claims;
    const elsewhere = claims["_claim_names"];
    const isElsewhere = (name: string) =>
      typeof elsewhere === "object" && elsewhere !== null && Object.hasOwn(elsewhere, name);
    if (isElsewhere(rolesClaim) || isElsewhere(teamsClaim)) {
      throw forbidden(
        "the identity provider did not name your groups because you have too many: its administrator can let it send only those assigned to TARSy",
      );
    }
    const identity = identityOf(claims, this.#settings.claims, this.#settings.roles);
    if (identity.roles.length > 0) return identity;
    throw forbidden(
      "you are signed in, but have no role in TARSy: its administrator can give you one by a group or role of the identity provider (AUTH_ROLE_MAPPING)",
    );
  }

  /** The provider's addresses, read with the first sign-in; after a failure again with the next one. */
  async #discovered(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const url = new URL(issuer);
    const authenticate: oidc.ClientAuth = (server, ...rest) => {
      const isBasic = server.token_endpoint_auth_methods_supported?.includes("client_secret_basic") !== false;
      (isBasic ? oidc.ClientSecretBasic : oidc.ClientSecretPost)(clientSecret)(server, ...rest);
    };
    try {
      return await (this.#discovering ??= oidc.discovery(url, clientId, undefined, authenticate, {
        timeout: TIMEOUT_SECONDS,
        // A provider on this machine, as in tests.
        execute: url.protocol === "http:" ? [oidc.allowInsecureRequests] : [],
      }));
    } catch (error) {
      this.#discovering = undefined;
      throw this.#unavailable(error);
    }
  }

  #refusalOf(error: unknown): AccessRefused {
    const isRefused = error instanceof oidc.ResponseBodyError && error.status < 500;
    if (isRefused || error instanceof oidc.AuthorizationResponseError) {
      this.#log.warn({ error: error.error, description: error.error_description }, "sign-in refused");
      // Any text may stand there.
      const why = /^[a-z_]{1,40}$/u.test(error.error) ? ` (${error.error})` : "";
      return unauthenticated(`the identity provider did not let you in${why}: ${AGAIN}`);
    }
    if (!(error instanceof oidc.ClientError) || NO_ANSWER.has(error.code)) return this.#unavailable(error);
    this.#log.warn({ error: error.message, cause: coerceError(error.cause).message }, "sign-in refused");
    return unauthenticated(`the answer of the identity provider is not valid: ${AGAIN}`);
  }

  #unavailable(error: unknown): AccessRefused {
    const { message, cause } = coerceError(error);
    // A wrong name, certificate or issuer is named in the cause alone.
    const why = cause === undefined ? {} : { cause: errorMessage(cause) };
    this.#log.warn(
      { issuer: this.#settings.issuer, error: message, ...why },
      "identity provider unavailable",
    );
    return new AccessRefused(
      503,
      "identity_provider_unavailable",
      "the identity provider does not answer: try again in a moment",
      { "retry-after": "5" },
    );
  }

  async #seal(content: Readonly<Record<string, string>>, seconds?: number): Promise<string> {
    const sealed = new EncryptJWT(content).setProtectedHeader({ alg: "dir", enc: "A256GCM" });
    if (seconds !== undefined) sealed.setExpirationTime(`${seconds} s`);
    return sealed.encrypt(this.#key);
  }

  async #unseal(text: string): Promise<unknown> {
    return (await jwtDecrypt(text, this.#key)).payload;
  }
}
