import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";

const parseRegistration = compileParser(
  "registration",
  Type.Object({ redirect_uris: Type.Array(Type.String()) }, { additionalProperties: true }),
);

interface Grant {
  readonly redirectUri: string;
  readonly challenge: string;
  readonly client: string;
  readonly resource: string | null;
}

/** A status with JSON, or with the address to go on to. */
type Answer = readonly [status: number, body: object | string];
const refusal = (error: string): Answer => [400, { error, error_description: `no ${error}` }];

/**
 * An authorization server as MCP clients meet it, beside an MCP server at `/mcp`: metadata (RFC 8414, 9728), registration (7591), codes with PKCE, and refresh tokens
 * that are valid once; one that comes twice ends the authorization. Everybody agrees at once.
 */
export function fakeOAuthServer() {
  const state = {
    /** Of access tokens, in seconds. */
    expiresIn: 3_600,
    refreshes: 0,
    /** The authorization server that its protected resource names; by default itself. */
    named: undefined as string | undefined,
    registers: true,
    /** Changes its metadata; undefined: it has none. */
    metadata: {} as object | undefined,
    /** Answers of the token endpoint wait for it. */
    gate: Promise.resolve(),
    /** The token endpoint fails with this status. */
    fails: 0,
  };
  const clients = new Map<string, readonly string[]>();
  const codes = new Map<string, Grant>();
  const refreshTokens = new Map<string, string>();
  const live = new Set<string>();
  const seen: string[] = [];
  let issuer = "";

  const revoke = () => {
    refreshTokens.clear();
    live.clear();
  };
  const give = (client: string): Answer => {
    const [access_token, refresh_token] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    live.add(access_token);
    refreshTokens.set(refresh_token, client);
    return [200, { access_token, refresh_token, token_type: "Bearer", expires_in: state.expiresIn }];
  };
  const refresh = (form: URLSearchParams, client: string): Answer => {
    state.refreshes += 1;
    const token = form.get("refresh_token") ?? "";
    if (refreshTokens.get(token) !== client) {
      // It was used before: one of the two is a thief.
      revoke();
      return refusal("invalid_grant");
    }
    refreshTokens.delete(token);
    live.clear();
    return give(client);
  };
  const exchange = (form: URLSearchParams, client: string): Answer => {
    const code = form.get("code") ?? "";
    const grant = codes.get(code);
    codes.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const proven = {
      redirectUri: form.get("redirect_uri"),
      challenge,
      client,
      resource: form.get("resource"),
    };
    return JSON.stringify(grant) === JSON.stringify(proven) ? give(client) : refusal("invalid_grant");
  };
  const routes: Readonly<Record<string, (request: IncomingMessage, url: URL) => Answer | Promise<Answer>>> = {
    "/.well-known/oauth-protected-resource/mcp": () => [
      200,
      {
        resource: `${issuer}/mcp`,
        authorization_servers: [state.named ?? issuer],
        scopes_supported: ["read"],
      },
    ],
    "/.well-known/oauth-authorization-server": () => [
      state.metadata === undefined ? 404 : 200,
      {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        ...(state.registers ? { registration_endpoint: `${issuer}/register` } : {}),
        response_types_supported: ["code"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        authorization_response_iss_parameter_supported: true,
        ...state.metadata,
      },
    ],
    "/register": async (request) => {
      const wanted = parseRegistration(JSON.parse(await text(request)));
      const client_id = randomUUID();
      clients.set(client_id, wanted.redirect_uris);
      return [201, { ...wanted, client_id }];
    },
    "/authorize": (_request, url) => {
      const asked = (name: string) => url.searchParams.get(name) ?? "";
      const [client, redirectUri] = [asked("client_id"), asked("redirect_uri")];
      const isKnown = clients.get(client)?.includes(redirectUri) === true;
      if (!isKnown || asked("code_challenge_method") !== "S256") return refusal("invalid_request");
      const code = `code-${randomUUID()}`;
      const resource = url.searchParams.get("resource");
      codes.set(code, { redirectUri, challenge: asked("code_challenge"), client, resource });
      const back = new URL(redirectUri);
      back.search = String(new URLSearchParams({ code, state: asked("state"), iss: issuer }));
      return [302, back.href];
    },
    "/token": async (request) => {
      const form = new URLSearchParams(await text(request));
      await state.gate;
      if (state.fails > 0) return [state.fails, { error: "server_error" }];
      const client = form.get("client_id") ?? "";
      return form.get("grant_type") === "refresh_token" ? refresh(form, client) : exchange(form, client);
    },
  };
  return {
    state,
    /** The paths that were asked for, in their order. */
    seen,
    /** Answers a request, unless it is for another server; true if it has. */
    handle: async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
      const url = new URL(request.url ?? "", issuer);
      const route = routes[url.pathname];
      if (route === undefined) return false;
      seen.push(url.pathname);
      const [status, body] = await route(request, url);
      if (typeof body === "string") response.writeHead(status, { location: body }).end();
      else response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      return true;
    },
    /** To be called with the origin at which `handle` answers. */
    isAt: (origin: string) => void (issuer = origin),
    isLive: (authorization: string) => live.has(authorization.replace(/^Bearer /u, "")),
    /** The person takes back what they have allowed. */
    revoke,
    /** Access tokens are not accepted any more. */
    expire: () => live.clear(),
  };
}
