import type { Retention, RetentionKind, RetentionPreview, RetentionUpdate } from '@svc/contract/retention';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { keys } from '../../../api/client.ts';
import { previewRetention, replaceRetention, retentionPreviewQuery } from '../../../api/retention.ts';
import { useDebounced } from '../../../app/use-debounced.ts';
import { useSubmit } from '../../../app/use-submit.ts';
import { useRead, useWorkspace } from '../../../app/workspace.tsx';
import { count } from '../../../format/numbers.ts';
import { Button } from '../../../kit/buttons.tsx';
import { ConfirmDialog } from '../../../kit/dialogs.tsx';
import { NumberField, Select } from '../../../kit/fields.tsx';
import { TimeAgo } from '../../../kit/labels.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { notify } from '../../../kit/toast.tsx';
import { countOf, faultOf, fieldOf, retentionTexts } from './retention-texts.ts';

type Days = Record<RetentionKind, number | null | undefined>;
type Planned = RetentionPreview['kinds'][number];

/** A field for each kind, with what it would delete. Saving asks only if something would be lost. */
export function RetentionForm({ retention }: { retention: Retention }) {
  const { api } = useWorkspace();
  const queries = useQueryClient();
  const [days, setDays] = useState<Days>(() => daysOf(retention));
  const [confirmed, setConfirmed] = useState<{ update: RetentionUpdate; planned: Planned[] }>();
  // The same object as long as nothing changes.
  const update = useMemo(() => updateOf(days), [days]);
  const preview = useRead(retentionPreviewQuery, useDebounced(update));
  const isChanged = JSON.stringify(update) !== JSON.stringify(updateOf(daysOf(retention)));
  const { submit, isBusy, at, error } = useSubmit(
    async () => {
      if (!update) return;
      // What the fields show may be older than what was typed last.
      const { kinds } = await previewRetention(api, update);
      const planned = kinds.filter(({ deleted, is_at_least }) => deleted > 0 || is_at_least);
      if (planned.length > 0) setConfirmed({ update, planned });
      else await save(update);
    },
    Object.fromEntries(retentionTexts.map(({ kind }) => [fieldOf(kind), days[kind]])),
  );

  const failure = error ?? preview.error;

  async function save(wanted: RetentionUpdate): Promise<void> {
    await replaceRetention(api, wanted);
    await queries.invalidateQueries({ queryKey: keys.all(api, 'retention') });
    notify({ text: 'How long data is kept was saved.' });
  }

  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy && update) void submit();
      }}
    >
      {retentionTexts.map((texts) => (
        <KindField
          key={texts.kind}
          texts={texts}
          days={days[texts.kind]}
          onChange={(next) => setDays((before) => ({ ...before, [texts.kind]: next }))}
          planned={preview.data?.kinds.find(({ kind }) => kind === texts.kind)}
          error={faultOf(texts, days[texts.kind]) ?? at(fieldOf(texts.kind))}
        />
      ))}
      {failure !== null && <InlineError error={failure} />}
      <div>
        <Button type="submit" look="primary" isBusy={isBusy} isDisabled={!isChanged || !update}>
          Save
        </Button>
      </div>
      {confirmed && (
        <ConfirmDialog
          title="Delete what is older?"
          action="Save and delete"
          onClose={() => setConfirmed(undefined)}
          onConfirm={() => save(confirmed.update)}
        >
          <p>Within minutes this is deleted for good:</p>
          <ul className="list-disc pl-5">
            {confirmed.planned.map((one) => (
              <li key={one.kind}>{countOf(one)}</li>
            ))}
          </ul>
          {confirmed.planned.some(({ kind }) => kind === 'conversations') && (
            <p>What the conversations cost stays in the usage, without the people.</p>
          )}
        </ConfirmDialog>
      )}
    </form>
  );
}

interface KindFieldProps {
  texts: (typeof retentionTexts)[number];
  /** Null: for ever. Undefined: not said yet. */
  days: number | null | undefined;
  onChange: (days: number | null | undefined) => void;
  planned: Planned | undefined;
  error: string | undefined;
}

function KindField({ texts, days, onChange, planned, error }: KindFieldProps) {
  const { label, description, always, usual } = texts;
  const isEnding = days !== null;
  return (
    <fieldset aria-label={label} className="flex flex-col gap-2 border-line border-b pb-4">
      <div className="flex flex-wrap items-start gap-2">
        <Select
          label={label}
          className="min-w-48 flex-1"
          options={[
            { value: 'always', label: always },
            { value: 'days', label: 'Delete after …' },
          ]}
          value={isEnding ? 'days' : 'always'}
          onChange={(value) => onChange(value === 'always' ? null : (days ?? usual))}
        />
        {isEnding && (
          <NumberField
            label="Days"
            isInteger
            className="w-28"
            value={days}
            onChange={onChange}
            error={error}
          />
        )}
      </div>
      <p className="text-ink-2 text-sm">{description}</p>
      {isEnding && planned && !error && (
        <p className="text-sm tabular-nums" aria-live="polite">
          {planned.deleted > 0 || planned.is_at_least ? (
            <span className="text-danger-ink">{`Would delete ${countOf(planned)} now.`}</span>
          ) : (
            <span className="text-ink-3">Would delete nothing now.</span>
          )}
          {planned.oldest_kept && (
            <span className="text-ink-3">
              {' Oldest that stays: '}
              <TimeAgo at={planned.oldest_kept} />
            </span>
          )}
        </p>
      )}
    </fieldset>
  );
}

/** What is kept, for members who cannot change it. */
export function RetentionList({ retention }: { retention: Retention }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
      {retentionTexts.map(({ kind, label, always }) => {
        const days = retention[fieldOf(kind)];
        return (
          <div key={kind} className="contents">
            <dt className="text-ink-2">{label}</dt>
            <dd>{days === null ? always : `${count(days)} days`}</dd>
          </div>
        );
      })}
    </dl>
  );
}

function daysOf(retention: RetentionUpdate): Days {
  return {
    conversations: retention.conversations_days,
    traces: retention.traces_days,
    events: retention.events_days,
    recordings: retention.recordings_days,
    audit: retention.audit_days,
  };
}

/** Undefined while a number is missing or wrong. */
function updateOf(days: Days): RetentionUpdate | undefined {
  const isWrong = retentionTexts.some(
    (texts) => days[texts.kind] === undefined || faultOf(texts, days[texts.kind]) !== undefined,
  );
  if (isWrong) return undefined;
  return {
    conversations_days: days.conversations ?? null,
    traces_days: days.traces ?? null,
    events_days: days.events ?? null,
    recordings_days: days.recordings ?? null,
    audit_days: days.audit ?? null,
  };
}
