import { abilities } from '@svc/contract/abilities';
import { expect, it } from 'vitest';
import { abilityGroups, describeAbilities } from './ability-groups.ts';

it('shows every ability once, with a name of its own', () => {
  const groups = abilityGroups();
  expect(groups.flatMap((group) => group.abilities.map(({ ability }) => ability)).toSorted()).toEqual(
    [...abilities].toSorted(),
  );
  for (const { name, label } of groups) expect(label).not.toBe(name);
});

it('describes what a key may do', () => {
  expect(describeAbilities(['all'])).toBe('Everything');
  expect(describeAbilities(['bots:read'])).toBe('bots:read');
  expect(describeAbilities(['bots:read', 'chat:write', 'tools:read', 'tools:write'])).toBe(
    'bots:read, chat:write and 2 more',
  );
});
