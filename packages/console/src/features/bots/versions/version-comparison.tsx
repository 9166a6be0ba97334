import type { BotVersion } from '@svc/contract/bot-versions';
import { useQueries } from '@tanstack/react-query';
import { ArrowLeft, ArrowRight } from 'lucide-react';
import { botVersionQuery } from '../../../api/bots.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { DiffView } from '../../../kit/diff-view.tsx';
import { Select } from '../../../kit/fields.tsx';
import { Bar, InlineError, Loading } from '../../../kit/placeholders.tsx';
import { compareVersions, type FieldChange } from './compare-versions.ts';
import { fieldName } from './field-names.ts';
import { RestoreError, useRestore } from './restore.tsx';

interface VersionComparisonProps {
  botId: string;
  versions: readonly BotVersion[];
  from: number;
  to: number;
  onChange: (from: number, to: number) => void;
  onClose: () => void;
}

/** Two versions, field by field. */
export function VersionComparison({ botId, versions, from, to, onChange, onClose }: VersionComparisonProps) {
  const { api, can } = useWorkspace();
  const current = versions[0]?.number;
  const restore = useRestore(botId, current);
  const [before, after] = useQueries({
    queries: [botVersionQuery(api, botId, from), botVersionQuery(api, botId, to)],
  });
  const numbers = [...new Set([...versions.map(({ number }) => number), from, to])].toSorted((a, b) => b - a);
  const options = numbers.map((number) => ({
    value: String(number),
    label: number === current ? `Version ${number} (live)` : `Version ${number}`,
  }));
  const error = before.error ?? after.error;
  return (
    <div className="flex max-w-6xl flex-col gap-4 px-4 py-4 md:px-6">
      <div className="flex flex-wrap items-center gap-2">
        <Button icon={<ArrowLeft aria-hidden />} onPress={onClose}>
          All versions
        </Button>
        <Select
          label="Before"
          hideLabel
          className="w-40"
          options={options}
          value={String(from)}
          onChange={(number) => onChange(Number(number), to)}
        />
        <ArrowRight aria-hidden className="size-4 text-ink-3" />
        <Select
          label="After"
          hideLabel
          className="w-40"
          options={options}
          value={String(to)}
          onChange={(number) => onChange(from, Number(number))}
        />
        {can('operator') && current !== undefined && from !== current && (
          <Button
            look="primary"
            className="sm:ml-auto"
            isBusy={restore.isPending}
            onPress={() => restore.mutate(from)}
          >
            Restore version {from}
          </Button>
        )}
      </div>
      {restore.isError && <RestoreError error={restore.error} />}
      {error && (
        <InlineError error={error} onRetry={() => void Promise.all([before.refetch(), after.refetch()])} />
      )}
      {!error && (before.isPending || after.isPending) && (
        <Loading label="Reading the versions">
          <Bar className="h-40" />
        </Loading>
      )}
      {before.data && after.data && (
        <Changes changes={compareVersions(before.data.configuration, after.data.configuration)} />
      )}
    </div>
  );
}

function Changes({ changes }: { changes: readonly FieldChange[] }) {
  if (changes.length === 0) return <p className="text-ink-2">These versions are the same.</p>;
  const short = changes.filter(({ isLong }) => !isLong);
  return (
    <>
      {changes
        .filter(({ isLong }) => isLong)
        .map(({ field, before, after }) => (
          <section key={field} aria-label={fieldName(field)} className="flex flex-col gap-1.5">
            <h2 className="font-semibold">{fieldName(field)}</h2>
            <DiffView label={fieldName(field)} before={before} after={after} />
          </section>
        ))}
      {short.length > 0 && (
        <table className="w-full text-sm">
          <caption className="pb-1.5 text-left font-semibold text-base">Settings</caption>
          <thead className="bg-sunken text-left text-ink-2">
            <tr>
              <th scope="col" className="h-8 px-3 font-medium">
                Field
              </th>
              <th scope="col" className="px-3 font-medium">
                Before
              </th>
              <th scope="col" className="px-3 font-medium">
                After
              </th>
            </tr>
          </thead>
          <tbody>
            {short.map(({ field, before, after }) => (
              <tr key={field} className="border-line border-b">
                <th scope="row" className="px-3 py-1.5 text-left font-medium">
                  {fieldName(field)}
                </th>
                <td className="break-words px-3 py-1.5">
                  <Value text={before} className="bg-del" />
                </td>
                <td className="break-words px-3 py-1.5">
                  <Value text={after} className="bg-add" />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

function Value({ text, className }: { text: string; className: string }) {
  if (text === '') return <span className="text-ink-3">not set</span>;
  return <code className={`rounded-sm px-1 py-0.5 ${className}`}>{text}</code>;
}
