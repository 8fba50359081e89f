import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";

/** Each role may do what the ones before it may. */
export const ROLES = ["viewer", "submitter", "operator", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** What a key may do over MCP: to read, to start and steer investigations, to decide about tool calls. */
export const SCOPES = ["read", "write", "decide"] as const;
export type Scope = (typeof SCOPES)[number];
/** Those of a key that names none. */
export const STANDARD_SCOPES: readonly Scope[] = ["read", "write"];

/** The ways in which a request was authenticated. In `loopback` it was not: every program of this machine may make it. */
const AUTHENTICATED_BY = ["loopback", "private", "key", "jwt", "proxy", "webhook", "slack"] as const;

/** The caller of a request, with its rights. */
export const Identity = Type.Object({
  /** Unique among those authenticated in the same way. */
  subject: Type.String(),
  /** The `author` of what this identity submits. */
  name: Type.String(),
  roles: Type.Array(literals(ROLES)),
  teams: Type.Array(Type.String()),
  via: literals(AUTHENTICATED_BY),
  /** The id of the API key, if that is the credential. */
  keyId: Type.Optional(Type.String()),
  /** The digest of the page's session in hex, if that is the credential. */
  pageSession: Type.Optional(Type.String()),
  /** What the API key may do over MCP; absent for other credentials, which their roles alone limit. */
  scopes: Type.Optional(Type.Array(literals(SCOPES))),
  /** When the credential expires, in milliseconds since the epoch; absent if it does not. */
  expiresAt: Type.Optional(Type.Number()),
});
export type Identity = Readonly<Static<typeof Identity>>;

/** True if the identity stands for a person or program; false for the users of this machine or of the one token. */
export function isPersonal({ via }: Pick<Identity, "via">): boolean {
  return via !== "loopback" && via !== "private";
}
