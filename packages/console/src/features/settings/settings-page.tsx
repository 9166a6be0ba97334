import type { ReactNode } from 'react';
import { OnlyFor } from '../../app/only-for.tsx';
import { useWorkspace } from '../../app/workspace.tsx';
import { Page } from '../../kit/page.tsx';
import { PageTabs } from '../../kit/tabs.tsx';
import { type SettingsTabId, settingsTabs } from './settings-tabs.ts';

interface SettingsPageProps {
  tab: SettingsTabId;
  /** The buttons of the page, the primary one last. Left out for members who may not see the page. */
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of every page of the settings. */
export function SettingsPage({ tab, actions, children }: SettingsPageProps) {
  const { id, can } = useWorkspace();
  const shown = settingsTabs.filter(({ role }) => can(role));
  const current = settingsTabs.find((one) => one.id === tab);
  const role = current?.role ?? 'owner';
  return (
    <Page
      title={current?.label ?? 'Settings'}
      actions={can(role) ? actions : undefined}
      below={
        <PageTabs
          label="Settings"
          current={tab}
          tabs={shown.map((one) => ({ id: one.id, label: one.label, to: `/w/${id}/settings/${one.id}` }))}
        />
      }
    >
      <OnlyFor role={role}>{children}</OnlyFor>
    </Page>
  );
}
