import {
  ClientCredentialsProvider,
  PrivateKeyJwtProvider,
  auth as authorize,
  extractWWWAuthenticateParams,
  type AuthProvider,
  type FetchLike,
  type OAuthClientProvider,
} from "@modelcontextprotocol/client";
import type { Agent } from "undici";
import { errorMessage } from "#shared/errors.ts";
import { McpFailure } from "../mcp-failure.ts";
import type { Auth, HttpSettings } from "../server-settings.ts";
import { callInFlight } from "./call-in-flight.ts";
import { serverFetch, usedAuthorization } from "./server-fetch.ts";

const MAX_BYTES = 1024 * 1024;
/** A token is replaced this long before it expires, or after nine tenths of its life. */
const SKEW_MS = 30_000;

/**
 * The access tokens for one server, shared by all its connections. Requests that need a new token at the same time share
 * one request for it. The authorization server is the configured one, not one that the server names.
 */
export class AccessTokens implements AuthProvider {
  readonly #provider: OAuthClientProvider;
  readonly #serverUrl: URL;
  readonly #fetch: FetchLike;
  readonly #timeoutMs: number;
  readonly #onSecret: (secret: string) => void;
  #current: { readonly token: string; readonly until: number } | undefined;
  #requesting: Promise<string> | undefined;

  /** `onSecret` gets each token before it is used. */
  constructor(
    settings: HttpSettings,
    auth: Auth,
    {
      agent,
      timeoutMs,
      onSecret = () => undefined,
    }: {
      readonly agent: Agent;
      readonly timeoutMs: number;
      readonly onSecret?: ((secret: string) => void) | undefined;
    },
  ) {
    this.#onSecret = onSecret;
    this.#provider = providerOf(auth);
    this.#serverUrl = settings.url;
    this.#timeoutMs = timeoutMs;
    this.#fetch = serverFetch({
      settings,
      agent,
      maxBytes: MAX_BYTES,
      onEventStreamEnd: () => undefined,
    });
  }

  /** A token that has not expired. Throws McpFailure `unauthorized`. */
  async token(): Promise<string> {
    if (this.#current !== undefined && performance.now() < this.#current.until) return this.#current.token;
    return this.#request();
  }

  /** Replaces the token that the server refused, unless that has been done since. */
  async onUnauthorized({ response }: { readonly response: Response }): Promise<void> {
    const used = usedAuthorization.get(response);
    if (this.#current !== undefined && used !== undefined && used !== `Bearer ${this.#current.token}`) return;
    await this.#request(response);
  }

  #request(refusal?: Response): Promise<string> {
    // Outside of the call that happens to need it: a refusal here is none of that call.
    this.#requesting ??= callInFlight
      .exit(() => this.#requestOnce(refusal))
      .finally(() => (this.#requesting = undefined));
    return this.#requesting;
  }

  async #requestOnce(refusal: Response | undefined): Promise<string> {
    const { resourceMetadataUrl, scope } = refusal === undefined ? {} : extractWWWAuthenticateParams(refusal);
    // Any other address could be one that only this runner can reach.
    const isOwn = resourceMetadataUrl?.origin === this.#serverUrl.origin;
    const limit = AbortSignal.timeout(this.#timeoutMs);
    const fetchFn: FetchLike = async (input, init = {}) => {
      const response = await this.#fetch(input, { ...init, signal: limit });
      // The library would try again, and print what the server says.
      if (init.method === "POST" && !response.ok) throw new Error(await refusalText(response));
      return response;
    };
    try {
      await authorize(this.#provider, {
        serverUrl: this.#serverUrl,
        fetchFn,
        ...(isOwn ? { resourceMetadataUrl } : {}),
        ...(scope === undefined ? {} : { scope }),
      });
      const {
        access_token: token,
        refresh_token: refresh,
        expires_in: seconds,
      } = (await this.#provider.tokens()) ?? {};
      if (token === undefined) throw new Error("it gave none");
      for (const secret of [token, refresh]) if (secret !== undefined) this.#onSecret(secret);
      const lifeMs = seconds === undefined ? Number.POSITIVE_INFINITY : seconds * 1_000;
      this.#current = { token, until: performance.now() + Math.max(lifeMs - SKEW_MS, lifeMs * 0.9) };
      return token;
    } catch (error) {
      const why = limit.aborted ? `no answer within ${this.#timeoutMs / 1_000} s` : errorMessage(error);
      const message = `no token from the authorization server: ${why}`;
      throw new McpFailure("unauthorized", "no", message, { cause: error });
    }
  }
}

async function refusalText(response: Response): Promise<string> {
  const text = (await response.text()).trim();
  return `it answered with HTTP status ${response.status}${text === "" ? "" : `: ${text}`}`;
}

function providerOf({ type, clientId, secret, issuer, scope, algorithm }: Auth): OAuthClientProvider {
  const common = { clientId, expectedIssuer: issuer, ...(scope === undefined ? {} : { scope }) };
  const provider: OAuthClientProvider =
    type === "client_credentials"
      ? new ClientCredentialsProvider({ ...common, clientSecret: secret })
      : new PrivateKeyJwtProvider({ ...common, privateKey: secret, algorithm: algorithm ?? "RS256" });
  provider.discoveryState = () => ({ authorizationServerUrl: issuer });
  return provider;
}
