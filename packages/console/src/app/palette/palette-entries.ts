import type { FoundObject } from '@svc/contract/console-conversations';
import type { Role } from '@svc/contract/roles';
import type { NamedObjects } from '../../api/palette.ts';

export interface PaletteEntry {
  id: string;
  label: string;
  /** Which kind of thing it is. */
  hint: string;
  /** Other texts that find it. */
  keywords?: string;
  /** Below the workspace. */
  path: string;
  search?: Record<string, string>;
}

export interface PaletteGroup {
  title: string;
  entries: PaletteEntry[];
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id that was pasted, if it is one. */
export function pastedId(text: string): string | undefined {
  const trimmed = text.trim();
  return uuid.test(trimmed) ? trimmed.toLowerCase() : undefined;
}

/** Where the object of an id is shown. */
export function pageOf(found: FoundObject): Pick<PaletteEntry, 'path' | 'search'> {
  switch (found.type) {
    case 'conversation': {
      const search = {
        ...(found.message_id && { message: found.message_id }),
        ...(found.turn_id && { turn: found.turn_id, panel: 'trace' }),
      };
      return { path: `/conversations/${found.conversation_id ?? found.id}`, search };
    }
    case 'bot':
      return { path: `/bots/${found.id}` };
    case 'approval':
      return { path: `/approvals/${found.id}` };
    case 'knowledge':
      return { path: `/knowledge/${found.id}` };
    case 'tool':
      return { path: `/tools/${found.id}` };
    case 'machine':
      return { path: '/machines' };
    case 'widget':
      return { path: `/widgets/${found.bot_id}` };
    case 'scenario':
      return { path: `/bots/${found.bot_id}/evaluations`, search: { scenario: found.id } };
    case 'evaluation':
      return { path: `/bots/${found.bot_id}/evaluations`, search: { evaluation: found.id } };
  }
}

const actions: (Omit<PaletteEntry, 'id' | 'hint'> & { role: Role })[] = [
  { label: 'Approve next', path: '/approvals', keywords: 'decide deny waiting', role: 'operator' },
  { label: 'New bot', path: '/bots/new', keywords: 'create agent', role: 'operator' },
  { label: 'Add knowledge', path: '/knowledge', keywords: 'upload file document', role: 'operator' },
  { label: 'New tool', path: '/tools/new', keywords: 'create connect', role: 'operator' },
  { label: 'Import an OpenAPI document', path: '/tools/import', keywords: 'tools', role: 'operator' },
  { label: 'Search what bots would find', path: '/knowledge/search', keywords: 'explain', role: 'viewer' },
  { label: 'Pair a machine', path: '/machines', keywords: 'daemon', role: 'operator' },
  { label: 'Show hand-offs', path: '/conversations', search: { handoff: '1' }, role: 'viewer' },
  { label: 'Invite a member', path: '/settings/members', keywords: 'add person', role: 'owner' },
  { label: 'Create an API key', path: '/settings/keys', keywords: 'account token', role: 'owner' },
];

export function actionsFor(can: (role: Role) => boolean): PaletteEntry[] {
  return actions
    .filter(({ role }) => can(role))
    .map(({ role: _role, ...action }) => ({ ...action, id: `action ${action.label}`, hint: 'Action' }));
}

export function objectEntries(
  { bots, tools, knowledge, machines }: NamedObjects,
  can: (role: Role) => boolean,
): PaletteEntry[] {
  return [
    ...bots.map(({ id, name, bot_type: type }) => ({
      id,
      label: name,
      hint: type === 'agent' ? 'Autonomous Agent' : 'Agent',
      path: `/bots/${id}`,
    })),
    ...bots
      .filter(({ bot_type: type }) => type === 'agent' && can('operator'))
      .map(({ id, name }) => ({
        id: `run ${id}`,
        label: `Run ${name}…`,
        hint: 'Action',
        path: '/runs',
        search: { run: id },
      })),
    ...tools.map(({ id, name }) => ({ id, label: name, hint: 'Tool', path: `/tools/${id}` })),
    ...knowledge.map(({ id, title }) => ({ id, label: title, hint: 'Knowledge', path: `/knowledge/${id}` })),
    ...machines.map(({ id, name }) => ({ id, label: name, hint: 'Machine', path: '/machines' })),
  ];
}

/** The entries that contain every word, those that begin with the text first. */
export function matching(entries: readonly PaletteEntry[], text: string, limit: number): PaletteEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = words.join(' ');
  const found: { entry: PaletteEntry; rank: number }[] = [];
  for (const entry of entries) {
    const label = entry.label.toLowerCase();
    const all = `${label} ${entry.keywords ?? ''} ${entry.hint}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) continue;
    const rank = label.startsWith(wanted) ? 0 : label.includes(wanted) ? 1 : 2;
    found.push({ entry, rank });
  }
  return found
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, limit)
    .map(({ entry }) => entry);
}
