import { type Ability, abilities } from './abilities.ts';

/** What a member of a workspace may do, from the least to the most. */
export const roles = ['viewer', 'operator', 'owner'] as const;

export type Role = (typeof roles)[number];

/** Whether a role includes another one. */
export function hasRole(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

/** The least role that may call an operation that needs this ability. */
export function roleFor(ability: Ability): Role {
  if (ability === 'workspace:write') return 'owner';
  return ability.endsWith(':read') ? 'viewer' : 'operator';
}

/** The abilities that a role has. */
export function abilitiesOf(role: Role): ReadonlySet<Ability> {
  return new Set(abilities.filter((ability) => hasRole(role, roleFor(ability))));
}
