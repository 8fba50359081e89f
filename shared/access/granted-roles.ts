import type { RoleRules } from "#shared/access/access-config.ts";
import { ROLES, type Role } from "#shared/access/identity.ts";

/** Our roles for those that an identity provider names. */
export function grantedRoles(theirs: readonly string[], { mapping, standard }: RoleRules): Role[] {
  const granted = new Set<Role>(standard);
  for (const name of theirs) {
    const role = mapping.get(name) ?? ROLES.find((ours) => ours === name);
    if (role !== undefined) granted.add(role);
  }
  return [...granted];
}
