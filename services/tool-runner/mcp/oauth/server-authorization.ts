import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import {
  OAuthError,
  OAuthErrorCode,
  auth as authorize,
  discoverAuthorizationServerMetadata,
  exchangeAuthorization,
  refreshAuthorization,
  type FetchLike,
  type OAuthClientProvider,
  type OAuthTokens,
} from "@modelcontextprotocol/client";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { TerminalError, errorMessage } from "#shared/errors.ts";
import { jitter, pause } from "#shared/pause.ts";
import { TOKEN_SKEW_MS, type GivenToken, type TokenAsked, type TokenSource } from "../http/access-tokens.ts";
import { McpFailure } from "../mcp-failure.ts";
import type { OAuth } from "../server-settings.ts";
import { refuseOtherServer } from "./refuse-other-server.ts";
import type { AuthorizationRows } from "./authorization-rows.ts";

/** How often a runner looks whether another one has refreshed. */
const LOOK_MS = 200;
/** A runner that refreshes keeps the others waiting so much longer than its requests may take. */
const WRITE_SECONDS = 15;
const WRITE_TRIES = 10;
const WRITE_PAUSE_MS = 1_000;
/** A number beyond those of JSON would make what is stored unreadable. */
const MAX_LIFE_S = 100_000_000;
/** Shorter texts would be found in ordinary words. */
const MIN_SECRET = 8;

/** What is known of an authorization from its beginning on. */
const Known = Type.Object({
  issuer: Type.String(),
  client: Type.Object({ client_id: Type.String(), client_secret: Type.Optional(Type.String()) }),
  /** The server as the authorization server knows it. */
  resource: Type.Optional(Type.String()),
});
type Known = Static<typeof Known>;
const Flow = Type.Object({ ...Known.properties, redirect_uri: Type.String(), verifier: Type.String() });
const Authorization = Type.Object({
  ...Known.properties,
  access_token: Type.String(),
  refresh_token: Type.Optional(Type.String()),
  /** In milliseconds since 1970; absent if the token does not expire. */
  expires_at: Type.Optional(Type.Number()),
});
type Authorization = Static<typeof Authorization>;
const parseKnown = compileParser("beginning of an authorization", Known);
const parseFlow = compileParser("begun authorization", Flow);
const parseAuthorization = compileParser("stored authorization", Authorization);

/** After these a refresh cannot succeed any more. */
const ENDED: ReadonlySet<string> = new Set([
  OAuthErrorCode.InvalidGrant,
  OAuthErrorCode.InvalidClient,
  OAuthErrorCode.UnauthorizedClient,
]);

interface ServerAuthorizationOptions {
  readonly id: string;
  readonly url: URL;
  readonly auth: OAuth;
  readonly rows: AuthorizationRows;
  readonly timeoutMs: number;
  /** Gets each secret before it is used. */
  readonly onSecret: (secret: string) => void;
}

/**
 * The authorization of one server, which a person gives in a browser (OAuth 2.1 with PKCE) and which all runners share: it is stored
 * encrypted, and one runner at a time refreshes it.
 */
export class ServerAuthorization implements TokenSource {
  readonly #options: ServerAuthorizationOptions;

  constructor(options: ServerAuthorizationOptions) {
    this.#options = options;
  }

  /** Begins an authorization; resolves with the address for the browser. Throws errors of one sentence. */
  async begin(redirectUri: string, fetchFn: FetchLike): Promise<string> {
    const { id, url: serverUrl, rows, auth } = this.#options;
    const state = randomBytes(32).toString("base64url");
    const { clientId: client_id, secret } = auth;
    const client =
      client_id === undefined ? undefined : { client_id, ...(secret && { client_secret: secret }) };
    const begun: { issuer?: string; client?: object; resource?: string; verifier?: string; address?: URL } =
      {};
    const provider: OAuthClientProvider = {
      redirectUrl: redirectUri,
      clientMetadata: {
        client_name: "TARSy",
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      },
      state: () => state,
      clientInformation: () => client,
      ...(client === undefined ? { saveClientInformation: (given) => void (begun.client = given) } : {}),
      discoveryState: () => (auth.issuer === undefined ? undefined : { authorizationServerUrl: auth.issuer }),
      saveAuthorizationServerUrl: (issuer) => void (begun.issuer = issuer),
      saveResourceUrl: (resource) => void (begun.resource = resource),
      codeVerifier: () => "",
      saveCodeVerifier: (verifier) => void (begun.verifier = verifier),
      tokens: () => undefined,
      saveTokens: () => undefined,
      redirectToAuthorization: (address) => void (begun.address = address),
    };
    const scope = auth.scope === undefined ? {} : { scope: auth.scope };
    await authorize(provider, { serverUrl, fetchFn: this.#guarded(fetchFn), ...scope }).catch(
      (error: unknown) => {
        const message = errorMessage(error);
        const remedy = /registration/iu.test(message)
          ? `: register ${redirectUri} there and set auth.client_id`
          : "";
        throw new TerminalError("oauth", `${message}${remedy}`, { cause: error });
      },
    );
    const { address, verifier, ...rest } = begun;
    if (address === undefined || !/^https?:$/u.test(address.protocol)) {
      throw new TerminalError("oauth", "the authorization server names no web address to go to");
    }
    // The code of another authorization server, at which the person may have agreed before, would be sent to this one.
    refuseOtherServer(address, this.#options);
    const known = parseKnown(client === undefined ? rest : { ...rest, client });
    await rows.begin(state, id, JSON.stringify({ ...known, redirect_uri: redirectUri, verifier }));
    return address.href;
  }

  /** Exchanges the code that the browser brought, and stores the authorization. `text` is what `begin` has stored. */
  async finish(
    { text, code, iss }: { readonly text: string; readonly code: string; readonly iss?: string | undefined },
    fetchFn: FetchLike,
  ): Promise<void> {
    const { id, rows } = this.#options;
    const { redirect_uri: redirectUri, verifier: codeVerifier, ...known } = parseFlow(JSON.parse(text));
    this.#learn(code, known.client.client_secret);
    // The library compares them only where the metadata, which the server may take away meanwhile, has an issuer.
    if (iss !== undefined && new URL(iss).href !== new URL(known.issuer).href) {
      throw new TerminalError(
        "oauth",
        `iss of the answer is ${iss}, but ${known.issuer} was asked: connect again`,
      );
    }
    const tokens = await exchangeAuthorization(known.issuer, {
      ...(await this.#about(known, fetchFn)),
      authorizationCode: code,
      codeVerifier,
      redirectUri,
      ...(iss === undefined ? {} : { iss }),
    });
    await rows.store(id, JSON.stringify(this.#authorization(known, tokens)));
  }

  /** The token that is stored, unless it was refused or has expired; else a new one, which this or another runner asks for. */
  async get({ fetchFn, refused, signal }: TokenAsked): Promise<GivenToken> {
    const { id, rows, timeoutMs } = this.#options;
    for (;;) {
      const stored = await rows.read(id);
      if (stored === undefined || stored.text === null) throw this.#notConnected();
      const known = parseAuthorization(JSON.parse(stored.text));
      this.#learn(known.access_token, known.refresh_token, known.client.client_secret);
      const given = givenToken(known);
      if (given.token !== refused && given.lifeMs > TOKEN_SKEW_MS) return given;
      const { generation } = stored;
      if (await rows.claim(id, generation, timeoutMs / 1_000 + WRITE_SECONDS)) {
        return this.#refresh(generation, known, fetchFn);
      }
      await pause(jitter(LOOK_MS), signal);
    }
  }

  async #refresh(generation: number, known: Authorization, fetchFn: FetchLike): Promise<GivenToken> {
    const { id, rows } = this.#options;
    const { issuer, refresh_token: refreshToken } = known;
    let tokens: OAuthTokens | undefined;
    try {
      if (refreshToken !== undefined) {
        tokens = await refreshAuthorization(issuer, { ...(await this.#about(known, fetchFn)), refreshToken });
      }
    } catch (error) {
      if (!(error instanceof OAuthError && ENDED.has(error.code))) {
        await rows.release(id, generation);
        throw error;
      }
    }
    if (tokens === undefined) {
      await rows.replace(id, generation, null);
      throw this.#notConnected();
    }
    const next = this.#authorization(known, tokens);
    await this.#keep(generation, JSON.stringify(next));
    return givenToken(next);
  }

  /** What a request to the token endpoint needs. */
  async #about({ issuer, client: clientInformation, resource }: Known, send: FetchLike) {
    const fetchFn = this.#guarded(send);
    const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn });
    return { clientInformation, fetchFn, ...(metadata && { metadata }), ...(resource && { resource }) };
  }

  /** The refresh token before this one may be worth nothing any more: the new one must not be lost to a moment without Postgres. */
  async #keep(generation: number, text: string): Promise<void> {
    const { id, rows } = this.#options;
    for (let tries = 1; ; tries += 1) {
      try {
        await rows.replace(id, generation, text);
        return;
      } catch (error) {
        if (tries === WRITE_TRIES) throw error;
        await wait(WRITE_PAUSE_MS);
      }
    }
  }

  #authorization({ issuer, client, resource }: Known, tokens: OAuthTokens): Authorization {
    const { access_token, refresh_token, expires_in } = tokens;
    this.#learn(access_token, refresh_token);
    return {
      issuer,
      client,
      ...(resource === undefined ? {} : { resource }),
      access_token,
      ...(refresh_token === undefined ? {} : { refresh_token }),
      ...(expires_in === undefined
        ? {}
        : { expires_at: Date.now() + Math.min(expires_in, MAX_LIFE_S) * 1_000 }),
    };
  }

  #learn(...secrets: readonly (string | undefined)[]): void {
    for (const secret of secrets) {
      if (secret !== undefined && secret.length >= MIN_SECRET) this.#options.onSecret(secret);
    }
  }

  #notConnected(): McpFailure {
    const { id } = this.#options;
    const message = `TARSy is not connected to this server, or not any more: an administrator runs \`tarsy connect ${id}\``;
    return new McpFailure("unauthorized", "no", message);
  }

  /** Requests to the authorization server, and not to what it may name beside itself. */
  #guarded(fetchFn: FetchLike): FetchLike {
    return async (input, init) => {
      refuseOtherServer(new URL(input), this.#options);
      return fetchFn(input, init);
    };
  }
}

function givenToken({ access_token: token, expires_at }: Authorization): GivenToken {
  return { token, lifeMs: (expires_at ?? Number.POSITIVE_INFINITY) - Date.now() };
}
