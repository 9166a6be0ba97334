/** What an account key can be allowed to do. `all` includes abilities that are added later. */
export const abilities = [
  'agents:trigger',
  'approvals:write',
  'bots:read',
  'bots:write',
  'calls:write',
  'chat:write',
  'conversations:read',
  'conversations:write',
  'knowledge:read',
  'knowledge:write',
  'machines:read',
  'machines:write',
  'recordings:read',
  'tools:read',
  'tools:write',
  'voice:read',
  'voice:write',
  'widgets:read',
  'widgets:write',
  'workspace:read',
  'workspace:write',
] as const;

export type Ability = (typeof abilities)[number];

export function isAbility(value: string): value is Ability {
  return (abilities as readonly string[]).includes(value);
}
