import { forbidden } from "#shared/access/access-refused.ts";
import { ROLES, isPersonal, type Identity, type Role } from "#shared/access/identity.ts";

/** The action of a request, and the least role that may do it. */
const ACTIONS = {
  "session.read": "viewer",
  "mcp.use": "viewer",
  "trace.read": "viewer",
  "alert_types.read": "viewer",
  "contract.read": "viewer",
  "tools.read": "viewer",
  "ticket.create": "viewer",
  "alert.submit": "submitter",
  "alert.submit_critical": "operator",
  "session.fork": "submitter",
  "session.cancel": "submitter",
  "session.steer": "submitter",
  "session.park": "submitter",
  "session.resume": "submitter",
  "session.score": "submitter",
  "session.chat": "submitter",
  "session.review": "submitter",
  "memory.read": "viewer",
  "memory.change": "operator",
  "approval.read": "operator",
  "approval.decide": "operator",
  "config.read": "operator",
  "budget.read": "operator",
  "budget.change": "admin",
  "notification.read": "operator",
  "notification.retry": "operator",
  "mcp.connect": "admin",
  "session.delete": "admin",
  "audit.read": "admin",
} as const satisfies Record<string, Role>;
export type Action = keyof typeof ACTIONS;
/** All of them, for those who offer what a role allows. */
export const ACTION_NAMES = Object.keys(ACTIONS).filter((name): name is Action =>
  Object.hasOwn(ACTIONS, name),
);

/** Whose session it is and which teams may see it. */
export interface SessionAccess {
  readonly owner_subject: string | null;
  readonly teams: readonly string[];
}

/** Throws AccessRefused 403 unless the identity has the role that the action needs. */
export function authorize(identity: Identity, action: Action): void {
  const needed = ACTIONS[action];
  if (allows(identity, action)) return;
  const has = identity.roles.length === 0 ? "no role" : `role ${identity.roles.join(", ")}`;
  throw forbidden(`${action} needs role ${needed}: '${identity.subject.slice(0, 100)}' has ${has}`);
}

/** True if the identity has the role that the action needs. */
export function allows(identity: Identity, action: Action): boolean {
  return hasRole(identity, ACTIONS[action]);
}

/** True if the identity may know of the session: it is its own or its team's, or it may see all. */
export function maySee(identity: Identity, { owner_subject, teams }: SessionAccess): boolean {
  if (seesAll(identity)) return true;
  return owner_subject === ownerOf(identity) || teams.some((team) => identity.teams.includes(team));
}

/** True for those who may change any session that they see; others may change their own. */
export function mayChange(identity: Identity, { owner_subject }: SessionAccess): boolean {
  return seesAll(identity) || owner_subject === ownerOf(identity);
}

/** True if no session is hidden from the identity. */
export function seesAll(identity: Identity): boolean {
  return hasRole(identity, "operator");
}

/** The `owner_subject` of what the identity submits; null if it stands for no particular person. */
export function ownerOf({ via, subject }: Pick<Identity, "via" | "subject">): string | null {
  return isPersonal({ via }) ? `${via}:${subject}` : null;
}

function hasRole({ roles }: Identity, needed: Role): boolean {
  return roles.some((role) => ROLES.indexOf(role) >= ROLES.indexOf(needed));
}
