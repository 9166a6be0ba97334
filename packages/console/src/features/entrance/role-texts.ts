import type { Role } from '@svc/contract/roles';

/** What a new member may do. */
export const roleTexts: Record<Role, string> = {
  viewer: 'As a viewer you can see everything except keys, quality and the audit log.',
  operator: 'As an operator you can answer, run and change bots, tools and knowledge.',
  owner: 'As an owner you can do everything, including members and keys.',
};
