import { expect, it } from 'vitest';
import { abilities } from './abilities.ts';
import { abilitiesOf, hasRole, roles } from './roles.ts';

it('each role has the abilities of the one below, viewers only read, and only owners change the workspace', () => {
  const [viewer, operator, owner] = roles.map((role) => [...abilitiesOf(role)]);
  expect(viewer).toEqual(abilities.filter((ability) => ability.endsWith(':read')));
  expect(operator).toEqual(abilities.filter((ability) => ability !== 'workspace:write'));
  expect(owner).toEqual([...abilities]);
  expect(roles.map((role) => hasRole(role, 'operator'))).toEqual([false, true, true]);
});
