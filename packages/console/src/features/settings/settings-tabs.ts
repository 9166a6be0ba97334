import type { Role } from '@svc/contract/roles';

export interface SettingsTab {
  id: string;
  label: string;
  /** The least role that sees it. */
  role: Role;
}

/** The pages of the settings, in order: `/settings/{id}`. */
export const settingsTabs = [
  { id: 'workspace', label: 'Workspace', role: 'viewer' },
  { id: 'members', label: 'Members', role: 'viewer' },
  { id: 'keys', label: 'Keys', role: 'owner' },
  { id: 'webhooks', label: 'Webhooks', role: 'owner' },
  { id: 'replies', label: 'Replies', role: 'operator' },
  { id: 'data', label: 'Data', role: 'operator' },
  { id: 'audit', label: 'Audit log', role: 'operator' },
  { id: 'system', label: 'System', role: 'operator' },
  { id: 'profile', label: 'Profile', role: 'viewer' },
] as const satisfies readonly SettingsTab[];

export type SettingsTabId = (typeof settingsTabs)[number]['id'];
