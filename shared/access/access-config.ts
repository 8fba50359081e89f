import { isIP } from "node:net";
import { LOOPBACK_HOSTS, hostName, isLoopback } from "#shared/access/allowed-hosts.ts";
import { ROLES, type Role } from "#shared/access/identity.ts";
import { TerminalError } from "#shared/errors.ts";
import {
  envChoice,
  envList,
  envRequired,
  envText,
  envUrl,
  type Environment,
  secretVariable,
} from "#shared/service/environment.ts";
import { bindAddress } from "#shared/service/service-config.ts";

const AUTH_MODES = ["loopback", "private", "token", "jwt", "proxy"] as const;
type AuthMode = (typeof AUTH_MODES)[number];

/** The issuer of an identity provider's tokens, and the claims that count. */
export interface JwtConfig {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  readonly algorithms: readonly string[];
  /** The header with the token, in lower case; `authorization` holds it after `Bearer `. */
  readonly header: string;
  readonly rolesClaim: string;
  readonly teamsClaim: string;
}

/** The rules by which the roles of an identity provider become ours. */
export interface RoleRules {
  /** Keyed by the provider's name of a role or group; without any, a token's own role names are ours. */
  readonly mapping: ReadonlyMap<string, Role>;
  /** The roles of every authenticated caller. */
  readonly standard: readonly Role[];
}

export type AuthConfig =
  /** The holder of `approvalToken` may decide about tool calls; without one no decision is possible. */
  | { readonly mode: "loopback"; readonly approvalToken?: string }
  | { readonly mode: "private"; readonly token: string }
  | { readonly mode: "token" }
  | { readonly mode: "jwt"; readonly jwt: JwtConfig; readonly roles: RoleRules }
  | { readonly mode: "proxy"; readonly secret: string; readonly roles: RoleRules };

/** Settings of the door of api and notifier. */
export interface AccessConfig {
  readonly auth: AuthConfig;
  /** Host names under which the service is reached, in lower case. */
  readonly hosts: ReadonlySet<string>;
  /** Origins of other sites whose pages may use the service, such as `https://portal.example.com`. */
  readonly origins: ReadonlySet<string>;
  /** Addresses, networks or `private`, of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
}

const ANY_ADDRESS = new Set(["0.0.0.0", "::", ""]);
const MIN_SECRET_CHARACTERS = 32;
/** Signatures with a public key; with a shared secret, every service that checks a token could make one. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];

/**
 * Reads the settings of the door. Throws TerminalError naming the variable, also if everybody would be let in from other
 * machines without `AUTH_ALLOW_OPEN=1`.
 */
export function readAccessConfig(env: Environment): AccessConfig {
  const published = publishedAddress(env);
  const mode = envChoice(env, "AUTH_MODE", AUTH_MODES, "loopback");
  const isOpen = envChoice(env, "AUTH_ALLOW_OPEN", ["0", "1"], "0") === "1";
  if (mode === "loopback" && !isOpen && !isLoopback(published)) throw tooOpen(published);
  return {
    auth: readAuth(env, mode),
    hosts: new Set([
      ...LOOPBACK_HOSTS,
      ...(ANY_ADDRESS.has(published) ? [] : [hostName(urlHost(published))]),
      ...envList(env, "ALLOWED_HOSTS").map(readHost),
    ]),
    origins: new Set(envList(env, "ALLOWED_ORIGINS").map((origin) => readOrigin("ALLOWED_ORIGINS", origin))),
    trustedProxies: envList(env, "TRUSTED_PROXIES"),
  };
}

/** The address under which clients reach the service, which for a container is not the one it listens on. */
function publishedAddress(env: Environment): string {
  return envText(env, "PUBLISHED_ADDRESS", bindAddress(env));
}

/** True if the mode distinguishes clients. */
export function isPersonalMode({ auth: { mode } }: Pick<AccessConfig, "auth">): boolean {
  return mode !== "loopback" && mode !== "private";
}

function tooOpen(address: string): TerminalError {
  return new TerminalError(
    "open_without_authentication",
    `AUTH_MODE is loopback and the published address is ${address}, so everybody who reaches it could use TARSy: set AUTH_MODE to token, jwt or proxy, or AUTH_ALLOW_OPEN=1 if that is intended`,
  );
}

function readAuth(env: Environment, mode: AuthMode): AuthConfig {
  if (mode === "token") return { mode };
  if (mode === "loopback") {
    const approvalToken = optionalSecret(env, "APPROVAL_TOKEN");
    return approvalToken === "" ? { mode } : { mode, approvalToken };
  }
  if (mode === "private") {
    return { mode, token: envSecret(env, "AUTH_TOKEN", "the token of AUTH_MODE=private") };
  }
  if (mode === "jwt") return { mode, jwt: readJwt(env), roles: readRoles(env) };
  const secret = envSecret(env, "AUTH_PROXY_SECRET", "what the proxy sends as X-Tarsy-Proxy-Secret");
  return { mode, secret, roles: readRoles(env) };
}

function readJwt(env: Environment): JwtConfig {
  const algorithms = envList(env, "AUTH_JWT_ALGORITHMS");
  for (const algorithm of algorithms) {
    if (ALGORITHMS.includes(algorithm)) continue;
    throw invalid("AUTH_JWT_ALGORITHMS", algorithm, `each must be one of ${ALGORITHMS.join(", ")}`);
  }
  return {
    issuer: envRequired(env, "AUTH_JWT_ISSUER", "set it to the `iss` of the tokens"),
    audience: envRequired(env, "AUTH_JWT_AUDIENCE", "set it to the `aud` of the tokens for TARSy"),
    jwksUrl: envUrl(env, "AUTH_JWT_JWKS_URL", ["https:", "http:"], "set it to the provider's JWKS address"),
    algorithms: algorithms.length === 0 ? ["RS256", "ES256", "EdDSA"] : algorithms,
    header: envText(env, "AUTH_JWT_HEADER", "authorization").toLowerCase(),
    rolesClaim: envText(env, "AUTH_JWT_ROLES_CLAIM", "roles"),
    teamsClaim: envText(env, "AUTH_JWT_TEAMS_CLAIM", "groups"),
  };
}

function readRoles(env: Environment): RoleRules {
  const mapping = envList(env, "AUTH_ROLE_MAPPING").map((entry) => {
    const [theirs = "", ours = ""] = entry.split("=").map((part) => part.trim());
    return [theirs, readRole("AUTH_ROLE_MAPPING", ours, "each entry is NAME=ROLE with a ROLE")] as const;
  });
  const standard = envList(env, "AUTH_DEFAULT_ROLES").map((role) =>
    readRole("AUTH_DEFAULT_ROLES", role, "each must be one"),
  );
  return { mapping: new Map(mapping), standard };
}

function readRole(name: string, text: string, rule: string): Role {
  const role = ROLES.find((known) => known === text);
  if (role === undefined) throw invalid(name, text, `${rule} of ${ROLES.join(", ")}`);
  return role;
}

function readHost(text: string): string {
  const host = hostName(text);
  const url = URL.parse(`http://${host}/`);
  if (url === null || url.hostname !== host) {
    throw invalid("ALLOWED_HOSTS", text, "each must be a host name such as tarsy.example.com");
  }
  return host;
}

/** Parses an entry of a list of origins; `null` stands for pages opened from a file. */
export function readOrigin(name: string, text: string): string {
  const url = URL.parse(text);
  const isOrigin = url !== null && /^https?:$/u.test(url.protocol) && url.origin === text;
  if (isOrigin || text === "null") return text;
  throw invalid(name, text, "each must be an origin such as https://tarsy.example.com, without a path");
}

/** A secret of at least 32 characters; `what` says what it is. Throws TerminalError naming the variable. */
export function envSecret(env: Environment, name: string, what: string): string {
  const secret = optionalSecret(env, name);
  if (secret === "") {
    throw new TerminalError(
      "invalid_environment",
      `environment variable ${name} is not set: it is ${what}, at least ${MIN_SECRET_CHARACTERS} characters`,
    );
  }
  return secret;
}

/** Empty if it is not set. */
function optionalSecret(env: Environment, name: string): string {
  const secret = secretVariable(env, name);
  if (secret === "" || secret.length >= MIN_SECRET_CHARACTERS) return secret;
  throw new TerminalError(
    "invalid_environment",
    `environment variable ${name} is too short: use at least ${MIN_SECRET_CHARACTERS} characters`,
  );
}

function urlHost(address: string): string {
  return isIP(address) === 6 ? `[${address}]` : address;
}

function invalid(name: string, value: string, rule: string): TerminalError {
  return new TerminalError(
    "invalid_environment",
    `environment variable ${name} contains "${value}": ${rule}`,
  );
}
