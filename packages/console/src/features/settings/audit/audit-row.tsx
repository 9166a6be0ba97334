import type { AuditEntry } from '@svc/contract/audit';
import { ArrowRight } from 'lucide-react';
import { useState } from 'react';
import { PageLink } from '../../../app/workspace.tsx';
import { plural } from '../../../format/numbers.ts';
import { Button } from '../../../kit/buttons.tsx';
import { classes } from '../../../kit/classes.ts';
import { TimeAgo } from '../../../kit/time-ago.tsx';
import { NameText } from '../../../kit/visible-text.tsx';
import { actorName, fieldName, pathOf, valueText, verbOf } from './audit-texts.ts';

const shownAtFirst = 4;

/** Empty values of a new object say nothing. */
const isEmpty = (value: unknown) =>
  value === null ||
  value === '' ||
  value === false ||
  JSON.stringify(value) === '[]' ||
  JSON.stringify(value) === '{}';

interface AuditRowProps {
  entry: AuditEntry;
  /** Shows only what this actor did. */
  onActor: (id: string) => void;
}

/** One change: its author, its object, and each changed field before and after. */
export function AuditRow({ entry, onActor }: AuditRowProps) {
  const [isOpen, setOpen] = useState(false);
  const { actor, object } = entry;
  const isNew = /\.(created|added|paired|tested|ran)$/.test(entry.action);
  const changes = isNew ? entry.changes.filter(({ after }) => !isEmpty(after)) : entry.changes;
  const path = pathOf(entry);
  const name = object.name ?? (path ? 'open' : null);
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
        <span>{verbOf(entry.action)}</span>
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
          {shown.map(({ field, before, after }) => (
            <div key={field} className="flex flex-wrap gap-x-2 gap-y-0.5">
              <dt className="text-ink-3 md:w-44 md:shrink-0 md:truncate">{fieldName(field)}</dt>
              <dd className="flex min-w-0 flex-1 basis-60 flex-wrap items-baseline gap-x-2">
                {!isNew && (
                  <>
                    <Value value={before} tint="bg-del" isOpen={isOpen} />
                    <ArrowRight aria-label="became" className="size-3 shrink-0 self-center text-ink-3" />
                  </>
                )}
                <Value value={after} tint={isNew ? '' : 'bg-add'} isOpen={isOpen} />
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

function Value({ value, tint, isOpen }: { value: unknown; tint: string; isOpen: boolean }) {
  const text = valueText(value);
  if (value === null || value === undefined) return <span className="text-ink-3 italic">{text}</span>;
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
