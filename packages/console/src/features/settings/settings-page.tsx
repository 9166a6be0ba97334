import type { ReactNode } from 'react';
import { OnlyFor } from '../../app/only-for.tsx';
import { useWorkspace } from '../../app/workspace.tsx';
import { CopyButton } from '../../kit/buttons.tsx';
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

interface SettingsSectionProps {
  title: string;
  /** One sentence below the title. */
  lead?: ReactNode;
  children: ReactNode;
}

/** A part of a page of the settings, as wide as a form. */
export function SettingsSection({ title, lead, children }: SettingsSectionProps) {
  return (
    <section className="border-line border-b px-4 py-6 last:border-b-0 md:px-6">
      <div className="flex max-w-[672px] flex-col gap-3">
        <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h2 className="font-semibold">{title}</h2>
          {lead && <p className="w-full text-ink-2">{lead}</p>}
        </header>
        {children}
      </div>
    </section>
  );
}

interface OneTimeTextProps {
  label: string;
  text: string;
  /** What it is good for, and for how long. */
  children: ReactNode;
}

/** A link or a key that is shown only now. */
export function OneTimeText({ label, text, children }: OneTimeTextProps) {
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center gap-1 rounded-md bg-sunken py-1 pr-1 pl-3">
        <output aria-label={label} className="min-w-0 flex-1 break-all font-mono text-sm">
          {text}
        </output>
        <CopyButton text={text} label={`Copy the ${label.toLowerCase()}`} />
      </div>
      <p className="text-ink-2 text-sm">{children}</p>
    </div>
  );
}
