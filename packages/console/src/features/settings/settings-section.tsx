import type { ReactNode } from 'react';

interface SettingsSectionProps {
  title: string;
  /** One sentence below the title. */
  lead?: ReactNode;
  /** Beside the title. */
  action?: ReactNode;
  children: ReactNode;
}

/** A part of a page of the settings, as wide as a form. */
export function SettingsSection({ title, lead, action, children }: SettingsSectionProps) {
  return (
    <section className="border-line border-b px-4 py-6 last:border-b-0 md:px-6">
      <div className="flex max-w-[672px] flex-col gap-3">
        <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h2 className="font-semibold">{title}</h2>
          {action && <div className="ml-auto">{action}</div>}
          {lead && <p className="w-full text-ink-2">{lead}</p>}
        </header>
        {children}
      </div>
    </section>
  );
}
