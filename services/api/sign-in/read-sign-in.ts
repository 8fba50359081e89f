import {
  type AccessConfig,
  envSecret,
  type JwtConfig,
  type RoleRules,
} from "#shared/access/access-config.ts";
import { isLoopback } from "#shared/access/allowed-hosts.ts";
import { TerminalError } from "#shared/errors.ts";
import { envText, type Environment } from "#shared/service/environment.ts";

/** How long a person may take at the provider. */
export const FLOW_SECONDS = 600;

/** How people sign in to the page with an identity provider (OpenID Connect). */
export interface SignInSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Separated by spaces. */
  readonly scope: string;
  /** The origin of the page, to which the provider leads people back. */
  readonly publicUrl: string;
  /** Which claims count: the same as of a token. */
  readonly claims: Pick<JwtConfig, "rolesClaim" | "teamsClaim">;
  readonly roles: RoleRules;
}

/**
 * Reads `AUTH_OIDC_*`; undefined without `AUTH_OIDC_CLIENT_ID`. Throws TerminalError naming the variable or setting that is wrong.
 */
export function readSignIn(
  env: Environment,
  { auth }: AccessConfig,
  publicUrl: string | undefined,
): SignInSettings | undefined {
  const clientId = envText(env, "AUTH_OIDC_CLIENT_ID", "");
  if (clientId === "") return undefined;
  if (auth.mode !== "jwt") {
    throw invalid(`AUTH_OIDC_CLIENT_ID is set: it needs AUTH_MODE=jwt, not ${auth.mode}`);
  }
  if (publicUrl === undefined || !isProtected(publicUrl)) {
    throw invalid(
      "AUTH_OIDC_CLIENT_ID is set: system.dashboard_url must be the https address under which people open the page",
    );
  }
  const issuer = envText(env, "AUTH_OIDC_ISSUER", auth.jwt.issuer);
  if (!isProtected(issuer)) throw invalid(`AUTH_OIDC_ISSUER is "${issuer}": it must start with https://`);
  const scope = envText(env, "AUTH_OIDC_SCOPES", "openid profile email");
  if (!scope.split(" ").includes("openid")) {
    throw invalid(`AUTH_OIDC_SCOPES is "${scope}": it must be scopes separated by spaces, openid among them`);
  }
  return {
    issuer,
    clientId,
    clientSecret: envSecret(env, "AUTH_OIDC_CLIENT_SECRET", "what the provider gave the client"),
    scope,
    publicUrl,
    claims: auth.jwt,
    roles: auth.roles,
  };
}

/** True for an address whose answers and cookies no one on the way can change. */
function isProtected(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
}

function invalid(what: string): TerminalError {
  return new TerminalError("invalid_environment", `environment variable ${what}`);
}
