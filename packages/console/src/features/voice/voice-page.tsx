import type { ReactNode } from 'react';
import { useWorkspace } from '../../app/workspace.tsx';
import { Page } from '../../kit/page.tsx';
import { PageTabs } from '../../kit/tabs.tsx';

const tabs = [
  { id: 'calls', label: 'Calls' },
  { id: 'numbers', label: 'Numbers' },
  { id: 'catalog', label: 'Catalog' },
] as const;

interface VoicePageProps {
  tab: (typeof tabs)[number]['id'];
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of the pages about voice. */
export function VoicePage({ tab, actions, children }: VoicePageProps) {
  const { id } = useWorkspace();
  return (
    <Page
      title="Voice"
      actions={actions}
      below={
        <PageTabs
          label="Voice"
          current={tab}
          tabs={tabs.map((one) => ({ ...one, to: `/w/${id}/voice/${one.id}` }))}
        />
      }
    >
      {children}
    </Page>
  );
}
