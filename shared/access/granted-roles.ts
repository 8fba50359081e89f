import type { RoleRules } from "#shared/access/access-config.ts";
import { ROLES, type Role } from "#shared/access/identity.ts";

/**
 * Our roles for the names that an identity provider gives. With `areRoles` a name of ours stands for itself, unless there is a
 * mapping; a group that happens to be called `admin` does not.
 */
export function grantedRoles(
  names: readonly string[],
  { mapping, standard }: RoleRules,
  { areRoles }: { readonly areRoles: boolean },
): Role[] {
  const granted = new Set<Role>(standard);
  const own = areRoles && mapping.size === 0 ? ROLES : [];
  for (const name of names) {
    const role = mapping.get(name) ?? own.find((ours) => ours === name);
    if (role !== undefined) granted.add(role);
  }
  return [...granted];
}
