import type { JWTPayload } from "jose";
import { AccessRefused, unauthenticated } from "#shared/access/access-refused.ts";
import type { JwtConfig, RoleRules } from "#shared/access/access-config.ts";
import type { Identity } from "#shared/access/identity.ts";
import { grantedRoles } from "#shared/access/granted-roles.ts";
import { errorMessage } from "#shared/errors.ts";
import { namesSomeone } from "#shared/access/names-someone.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";

/**
 * Checks one token, which may also be for `audience`. Throws AccessRefused 401 for one that is not valid, 503 while the provider's keys
 * cannot be read.
 */
type JwtVerifier = (token: string, audience?: string) => Promise<Identity>;

const CLOCK_TOLERANCE_SECONDS = 60;
const JWKS_TIMEOUT_MS = 5_000;

/** Prepares the verification of an identity provider's tokens. Its keys are read with the first token and when they change. */
export async function openJwtVerifier(config: JwtConfig, rules: RoleRules): Promise<JwtVerifier> {
  // Imported where it is used: the other modes do not pay for it.
  const { createRemoteJWKSet, errors, jwtVerify } = await import("jose");
  const keys = createRemoteJWKSet(new URL(config.jwksUrl), { timeoutDuration: JWKS_TIMEOUT_MS });
  return async (token, audience) => {
    const options = {
      issuer: config.issuer,
      audience: [config.audience, ...(audience === undefined ? [] : [audience])],
      algorithms: [...config.algorithms],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ["sub", "exp"],
    };
    const { payload } = await jwtVerify(token, keys, options).catch((error: unknown) => {
      const isToken = error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout);
      const isKeys = error instanceof errors.JWKSInvalid || isUnexpectedAnswer(error);
      if (isToken && !isKeys) throw unauthenticated(`the token is not valid: ${errorMessage(error)}`);
      throw new AccessRefused(
        503,
        "identity_provider_unavailable",
        "the identity provider's keys cannot be read: try again in a moment",
        { "retry-after": "5" },
      );
    });
    return identityOf(payload, config, rules);
  };
}

/** The library reports an answer that is no key set with an error of its base class. */
function isUnexpectedAnswer(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_JOSE_GENERIC";
}

/** The person of a token's claims. Throws AccessRefused 401 if they name no one. */
export function identityOf(payload: JWTPayload, config: ClaimNames, rules: RoleRules): Identity {
  const { sub, exp = 0 } = payload;
  if (!namesSomeone(sub)) {
    throw unauthenticated("the token is not valid: its claim sub must be a text with a visible character");
  }
  const name = [payload["preferred_username"], payload["email"]].find(namesSomeone) ?? sub;
  return {
    subject: postgresSafeText(sub).text,
    name: postgresSafeText(name).text,
    roles: grantedRoles(claimedTexts(payload, config.rolesClaim), rules, { areRoles: true }),
    teams: claimedTexts(payload, config.teamsClaim),
    via: "jwt",
    expiresAt: (exp + CLOCK_TOLERANCE_SECONDS) * 1_000,
  };
}

/** Which claims count. */
type ClaimNames = Pick<JwtConfig, "rolesClaim" | "teamsClaim">;

/** A claim that is a list of texts, or one text with spaces; by its name or, with dots, by its path. */
export function claimedTexts(payload: JWTPayload, name: string): string[] {
  const value = Object.hasOwn(payload, name) ? payload[name] : atPath(payload, name.split("."));
  if (Array.isArray(value)) return value.filter((entry) => typeof entry === "string");
  return typeof value === "string" ? value.split(/\s+/u).filter((entry) => entry !== "") : [];
}

function atPath(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    if (typeof inner !== "object" || inner === null) return undefined;
    return Object.entries(inner).find(([name]) => name === key)?.[1];
  }, value);
}
