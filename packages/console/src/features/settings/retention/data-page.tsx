import type { Retention } from '@svc/contract/retention';
import { useState } from 'react';
import { retentionQuery } from '../../../api/retention.ts';
import { useRead, useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { TimeAgo } from '../../../kit/labels.tsx';
import { LoadError, RowsLoading } from '../../../kit/placeholders.tsx';
import { SettingsPage, SettingsSection } from '../settings-page.tsx';
import { LegalHolds, PlaceHoldDialog } from './legal-holds.tsx';
import { RetentionForm, RetentionList } from './retention-form.tsx';
import { countOf, retentionTexts } from './retention-texts.ts';

/** How long data is kept, and what is kept whatever that says. */
export function DataPage() {
  const { can } = useWorkspace();
  const [isPlacing, setPlacing] = useState(false);
  return (
    <SettingsPage
      tab="data"
      actions={can('owner') && <Button onPress={() => setPlacing(true)}>New legal hold</Button>}
    >
      <SettingsSection
        title="Retention"
        lead="What is older is deleted for good, in the background, within minutes and then every hour."
      >
        <RetentionOfWorkspace />
      </SettingsSection>
      <SettingsSection
        title="Legal holds"
        lead="What a hold keeps is deleted by nobody: not by retention, and not by a person."
      >
        <LegalHolds />
      </SettingsSection>
      {isPlacing && <PlaceHoldDialog onClose={() => setPlacing(false)} />}
    </SettingsPage>
  );
}

function RetentionOfWorkspace() {
  const { can } = useWorkspace();
  const retention = useRead(retentionQuery);
  if (retention.isPending) return <RowsLoading rows={5} />;
  if (retention.isError) return <LoadError query={retention} className="" />;
  const { last_round: lastRound, ...settings } = retention.data;
  return (
    <>
      {can('owner') ? (
        <RetentionForm key={JSON.stringify(settings)} retention={retention.data} />
      ) : (
        <RetentionList retention={retention.data} />
      )}
      <LastRound round={lastRound} />
    </>
  );
}

function LastRound({ round }: { round: Retention['last_round'] }) {
  if (!round) return <p className="text-ink-3 text-sm">Nothing was deleted so far.</p>;
  const deleted = retentionTexts
    .filter(({ kind }) => round.deleted[kind] > 0)
    .map(({ kind }) => countOf({ kind, deleted: round.deleted[kind], is_at_least: false }));
  return (
    <p className="text-ink-3 text-sm tabular-nums">
      {'Last round '}
      <TimeAgo at={round.ended_at} />
      {deleted.length > 0 ? `: deleted ${deleted.join(', ')}.` : ': there was nothing to delete.'}
    </p>
  );
}
