import { useInfiniteQuery } from '@tanstack/react-query';
import { ScrollText, X } from 'lucide-react';
import { auditQuery } from '../../../api/audit.ts';
import { useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { Select } from '../../../kit/fields.tsx';
import { EmptyState, LoadError, RowsLoading, ShowMore } from '../../../kit/placeholders.tsx';
import { SettingsPage } from '../settings-page.tsx';
import { AuditRow } from './audit-row.tsx';
import { actorName, auditKinds } from './audit-texts.ts';

export function AuditPage() {
  return (
    <SettingsPage tab="audit">
      <AuditLog />
    </SettingsPage>
  );
}

function AuditLog() {
  const { api } = useWorkspace();
  const [search, change] = useSearchState();
  const filter = { actor: search['actor'], action: search['action'], object: search['object'] };
  const log = useInfiniteQuery(auditQuery(api, filter));
  const entries = log.data?.pages.flatMap(({ items }) => items) ?? [];
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const clear = () => change({ actor: undefined, action: undefined, object: undefined });
  const actor = entries.find((entry) => entry.actor.id === filter.actor)?.actor;
  return (
    <>
      <div className="flex flex-wrap items-end gap-3 border-line border-b px-4 py-3 md:px-6">
        <Select
          label="What was changed"
          hideLabel
          className="w-48"
          value={filter.action?.split('.')[0] ?? 'all'}
          options={[{ value: 'all', label: 'Everything' }, ...auditKinds]}
          onChange={(value) => change({ action: value === 'all' ? undefined : value })}
        />
        {filter.actor && (
          <Chip
            text={`By ${actor ? actorName(actor) : 'one actor'}`}
            onRemove={() => change({ actor: undefined })}
          />
        )}
        {filter.object && <Chip text="One object" onRemove={() => change({ object: undefined })} />}
        {isFiltered && (
          <Button size="small" look="quiet" onPress={clear}>
            Clear
          </Button>
        )}
      </div>
      {log.isPending && <RowsLoading />}
      {log.isError && <LoadError query={log} className="p-4" />}
      {log.data && entries.length === 0 && (
        <EmptyState
          icon={<ScrollText aria-hidden />}
          title={isFiltered ? 'Nothing matches.' : 'Nothing was changed yet.'}
          action={isFiltered && <Button onPress={clear}>Show everything</Button>}
        >
          {!isFiltered && (
            <p>Each change of a bot, a tool or a key will be here, with its author: temperature 0.7 → 0.2.</p>
          )}
        </EmptyState>
      )}
      <ul aria-label="Changes, newest first" className={log.isPlaceholderData ? 'opacity-60' : ''}>
        {entries.map((entry) => (
          <AuditRow key={entry.id} entry={entry} onActor={(id) => change({ actor: id }, { push: true })} />
        ))}
      </ul>
      <ShowMore list={log} label="Show older" />
    </>
  );
}

function Chip({ text, onRemove }: { text: string; onRemove: () => void }) {
  return (
    <span className="inline-flex h-8 items-center gap-1 rounded-md bg-selected pl-2 text-accent-ink text-sm">
      {text}
      <button type="button" aria-label={`Remove the filter: ${text}`} className="p-1.5" onClick={onRemove}>
        <X aria-hidden className="size-4" />
      </button>
    </span>
  );
}
