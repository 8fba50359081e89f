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
export const TOKEN_SKEW_MS = 30_000;

/** A request for a token. */
export interface TokenAsked {
  readonly fetchFn: FetchLike;
  /** Aborts at the end of its time. */
  readonly signal: AbortSignal;
  /** The token that the server has refused, and its refusal; absent if there was none. */
  readonly refused?: string;
  readonly refusal?: Response;
}

/** A token, and for how long it is valid. */
export interface GivenToken {
  readonly token: string;
  readonly lifeMs: number;
}

/** Where tokens for a server come from. It reports all secrets before it returns. */
export interface TokenSource {
  /** Throws McpFailure `unauthorized`, whose message stands for itself, and any other error. */
  get(asked: TokenAsked): Promise<GivenToken>;
}

/**
 * The access tokens for one server, shared by all its connections. Requests that need a new token at the same time share
 * one request for it.
 */
export class AccessTokens implements AuthProvider {
  readonly #source: TokenSource;
  readonly #fetch: FetchLike;
  readonly #timeoutMs: number;
  #current: { readonly token: string; readonly until: number } | undefined;
  #requesting: Promise<string> | undefined;

  constructor(
    settings: HttpSettings,
    source: TokenSource,
    { agent, timeoutMs }: { readonly agent: Agent; readonly timeoutMs: number },
  ) {
    this.#source = source;
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
    this.#requesting ??= this.#requestOnce(refusal).finally(() => (this.#requesting = undefined));
    return this.#requesting;
  }

  /** Forgets the token: another person may have given another one. */
  forget(): void {
    this.#current = undefined;
  }

  /** Has work done with requests to the authorization server, all of them within the server's connect timeout. */
  async inTime<T>(work: (fetchFn: FetchLike, signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = AbortSignal.timeout(this.#timeoutMs);
    const fetchFn: FetchLike = async (input, init = {}) => this.#fetch(input, { ...init, signal: limit });
    try {
      // Outside of the call that happens to need it: a refusal here is none of that call.
      return await callInFlight.exit(async () => work(fetchFn, limit));
    } catch (error) {
      if (!limit.aborted) throw error;
      throw new Error(`no answer within ${this.#timeoutMs / 1_000} s`, { cause: error });
    }
  }

  async #requestOnce(refusal: Response | undefined): Promise<string> {
    const used = refusal === undefined ? undefined : usedAuthorization.get(refusal)?.replace(/^Bearer /u, "");
    try {
      const { token, lifeMs } = await this.inTime(async (fetchFn, signal) =>
        this.#source.get({
          fetchFn,
          signal,
          ...(refusal === undefined ? {} : { refusal }),
          ...(used === undefined ? {} : { refused: used }),
        }),
      );
      const usableMs = Math.max(lifeMs - TOKEN_SKEW_MS, lifeMs * 0.9);
      this.#current = { token, until: performance.now() + usableMs };
      return token;
    } catch (error) {
      if (error instanceof McpFailure && error.kind === "unauthorized") throw error;
      const message = `no token from the authorization server: ${errorMessage(error)}`;
      throw new McpFailure("unauthorized", "no", message, { cause: error });
    }
  }
}

/**
 * Tokens that the runner gets with credentials of its own. The authorization server is the configured one, not one that the server
 * names. `onSecret` gets each token before it is used.
 */
export function grantedTokens(
  { url: serverUrl }: Pick<HttpSettings, "url">,
  auth: Auth,
  onSecret: (secret: string) => void,
): TokenSource {
  const provider = providerOf(auth);
  return {
    async get({ fetchFn: send, refusal }) {
      const { resourceMetadataUrl, scope } =
        refusal === undefined ? {} : extractWWWAuthenticateParams(refusal);
      // Any other address could be one that only this runner can reach.
      const isOwn = resourceMetadataUrl?.origin === serverUrl.origin;
      const fetchFn: FetchLike = async (input, init = {}) => {
        const response = await send(input, init);
        // The library would try again, and print what the server says.
        if (init.method === "POST" && !response.ok) throw new Error(await refusalText(response));
        return response;
      };
      await authorize(provider, {
        serverUrl,
        fetchFn,
        ...(isOwn ? { resourceMetadataUrl } : {}),
        ...(scope === undefined ? {} : { scope }),
      });
      const { access_token: token, refresh_token, expires_in: seconds } = (await provider.tokens()) ?? {};
      if (token === undefined) throw new Error("it gave none");
      for (const secret of [token, refresh_token]) if (secret !== undefined) onSecret(secret);
      return { token, lifeMs: seconds === undefined ? Number.POSITIVE_INFINITY : seconds * 1_000 };
    },
  };
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
