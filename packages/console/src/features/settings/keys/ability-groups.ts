import { type Ability, abilities } from '@svc/contract/abilities';

export interface AbilityGroup {
  /** The part of the API: `bots`. */
  name: string;
  label: string;
  abilities: { ability: Ability; label: string }[];
}

const labels: Record<string, string> = {
  agents: 'Autonomous Agents',
  approvals: 'Approvals',
  bots: 'Bots',
  calls: 'Calls',
  chat: 'Chat',
  conversations: 'Conversations',
  knowledge: 'Knowledge',
  machines: 'Machines',
  recordings: 'Recordings of calls',
  tools: 'Tools',
  voice: 'Voice',
  widgets: 'Widgets',
  workspace: 'Workspace and keys',
};

const verbs: Record<string, string> = { read: 'Read', write: 'Change', trigger: 'Run' };
const ownVerbs: Partial<Record<Ability, string>> = {
  'approvals:write': 'Answer',
  'chat:write': 'Send messages',
};

/** The abilities by the part of the API that they concern. */
export function abilityGroups(): AbilityGroup[] {
  const byName = Map.groupBy(abilities, (ability) => ability.split(':')[0] ?? '');
  return [...byName].map(([name, all]) => ({
    name,
    label: labels[name] ?? name,
    abilities: all.map((ability) => ({
      ability,
      label: ownVerbs[ability] ?? verbs[ability.split(':')[1] ?? ''] ?? ability,
    })),
  }));
}

/** `Everything`, or the first few. */
export function describeAbilities(granted: readonly string[]): string {
  if (granted.includes('all')) return 'Everything';
  const shown = granted.slice(0, 2).join(', ');
  return granted.length > 2 ? `${shown} and ${granted.length - 2} more` : shown;
}
