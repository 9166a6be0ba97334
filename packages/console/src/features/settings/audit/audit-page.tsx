import type { AuditEntry } from '@svc/contract/audit';
import { useInfiniteQuery } from '@tanstack/react-query';
import { ArrowRight, ScrollText, X } from 'lucide-react';
import { useState } from 'react';
import { auditQuery } from '../../../api/system.ts';
import { catalogQuery, toolsQuery } from '../../../api/tools.ts';
import { PageLink, useRead, useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { fieldWords } from '../../../format/field-names.ts';
import { plural } from '../../../format/numbers.ts';
import { Button } from '../../../kit/buttons.tsx';
import { classes } from '../../../kit/classes.ts';
import { Select } from '../../../kit/fields.tsx';
import { NameText, TimeAgo } from '../../../kit/labels.tsx';
import { EmptyState, LoadError, RowsLoading, ShowMore } from '../../../kit/placeholders.tsx';
import { SettingsPage } from '../settings-page.tsx';
import {
  type AssignedTool,
  actorName,
  auditKinds,
  changeTexts,
  nothing,
  pathOf,
  verbOf,
} from './audit-texts.ts';

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
  const nameOfTool = useToolNames();
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
          <AuditRow
            key={entry.id}
            entry={entry}
            nameOfTool={nameOfTool}
            onActor={(id) => change({ actor: id }, { push: true })}
          />
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

const shownAtFirst = 4;

/** Empty values of a new object say nothing. */
const isEmpty = (value: unknown) =>
  value === null ||
  value === '' ||
  value === false ||
  JSON.stringify(value) === '[]' ||
  JSON.stringify(value) === '{}';

/** What the team calls a tool of a bot, if it is still there. */
function useToolNames(): (assigned: AssignedTool) => string {
  const tools = useRead(toolsQuery).data;
  const types = useRead(catalogQuery).data;
  return ({ tool_type: type, tool_configuration_id: id }) =>
    tools?.find((tool) => tool.id === id)?.name ??
    types?.find((one) => one.tool_type === type)?.name ??
    type.replaceAll('_', ' ');
}

interface AuditRowProps {
  entry: AuditEntry;
  nameOfTool: (assigned: AssignedTool) => string;
  /** Shows only what this actor did. */
  onActor: (id: string) => void;
}

/** One change: its author, its object, and each changed field before and after. */
function AuditRow({ entry, nameOfTool, onActor }: AuditRowProps) {
  const [isOpen, setOpen] = useState(false);
  const { actor, object } = entry;
  const isNew = /\.(created|added|paired|tested|ran)$/.test(entry.action);
  const changes = isNew ? entry.changes.filter(({ after }) => !isEmpty(after)) : entry.changes;
  const path = pathOf(entry);
  // Whoever joined is the actor, too.
  const name = entry.action === 'member.joined' ? null : object.name;
  const verb = verbOf(entry.action);
  const closedCount = isNew ? 0 : shownAtFirst;
  const shown = isOpen ? changes : changes.slice(0, closedCount);
  return (
    <li className="flex flex-col gap-1 border-line border-b px-4 py-2.5 [content-visibility:auto] md:px-6">
      <p className="flex flex-wrap items-baseline gap-x-1.5">
        {actor.id ? (
          <button
            type="button"
            title="Show only theirs"
            className="font-medium hover:underline"
            onClick={() => onActor(actor.id ?? '')}
          >
            <NameText text={actorName(actor)} />
          </button>
        ) : (
          <span className="font-medium">
            <NameText text={actorName(actor)} />
          </span>
        )}
        {name === null && path ? (
          <PageLink path={path} className="text-accent-ink hover:underline">
            {verb}
          </PageLink>
        ) : (
          <span>{verb}</span>
        )}
        {name &&
          (path ? (
            <PageLink path={path} className="break-words text-accent-ink hover:underline">
              <NameText text={name} />
            </PageLink>
          ) : (
            <span className="break-words">
              <NameText text={name} />
            </span>
          ))}
        <TimeAgo at={entry.at} className="ml-auto text-ink-3 text-sm" />
      </p>
      {shown.length > 0 && (
        <dl className="flex flex-col gap-0.5 text-sm">
          {shown.map((change) => (
            <div key={change.field} className="flex flex-wrap gap-x-2 gap-y-0.5">
              <dt className="text-ink-3 md:w-44 md:shrink-0 md:truncate">{fieldWords(change.field)}</dt>
              <dd className="flex min-w-0 flex-1 basis-60 flex-wrap items-baseline gap-x-2">
                <Values {...changeTexts(change, nameOfTool)} isNew={isNew} isOpen={isOpen} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {changes.length > closedCount && (
        <div>
          <Button size="small" look="quiet" onPress={() => setOpen(!isOpen)}>
            {isOpen
              ? 'Show less'
              : isNew
                ? 'Show its fields'
                : `Show ${plural(changes.length - closedCount, 'more field')}`}
          </Button>
        </div>
      )}
    </li>
  );
}

interface ValuesProps {
  before?: string;
  after: string;
  isNew: boolean;
  isOpen: boolean;
}

function Values({ before, after, isNew, isOpen }: ValuesProps) {
  if (isNew || before === undefined) return <Value text={after} tint="" isOpen={isOpen} />;
  return (
    <>
      <Value text={before} tint="bg-del" isOpen={isOpen} />
      <ArrowRight aria-label="became" className="size-3 shrink-0 self-center text-ink-3" />
      <Value text={after} tint="bg-add" isOpen={isOpen} />
    </>
  );
}

function Value({ text, tint, isOpen }: { text: string; tint: string; isOpen: boolean }) {
  if (text === nothing) return <span className="text-ink-3 italic">{text}</span>;
  return (
    <span
      dir="auto"
      title={isOpen ? undefined : text}
      className={classes(
        'max-w-full whitespace-pre-wrap break-words rounded-sm',
        tint && `px-1 ${tint}`,
        !isOpen && 'line-clamp-3',
      )}
    >
      <NameText text={text} />
    </span>
  );
}
