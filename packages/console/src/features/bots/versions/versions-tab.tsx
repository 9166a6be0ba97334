import type { BotVersion } from '@svc/contract/bot-versions';
import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { ArrowLeft, ArrowRight, GitCompare, History } from 'lucide-react';
import type { ReactNode } from 'react';
import { botVersionQuery, botVersionsQuery } from '../../../api/bots.ts';
import { useParam, useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { fieldName } from '../../../format/field-names.ts';
import { Button } from '../../../kit/buttons.tsx';
import { DiffView } from '../../../kit/diff-view.tsx';
import { Select } from '../../../kit/fields.tsx';
import { StateBadge, TimeAgo } from '../../../kit/labels.tsx';
import { BarLoading, InlineError, LoadError, RowsLoading, ShowMore } from '../../../kit/placeholders.tsx';
import { compareVersions, type FieldChange, parseCompared } from './compare-versions.ts';
import { listFields } from './list-fields.ts';
import { RestoreError, useRestore } from './restore.tsx';
import { useMemberNames } from './use-saved-by.ts';

/** The versions of the bot of this page: what changed, and the way back. */
export function VersionsTab() {
  const { api } = useWorkspace();
  const botId = useParam('bot');
  const [search, setSearch] = useSearchState();
  const list = useInfiniteQuery(botVersionsQuery(api, botId));
  if (list.isPending) return <RowsLoading />;
  if (list.isError) return <LoadError query={list} />;
  const versions = list.data.pages.flatMap(({ items }) => items);
  const compared = parseCompared(search['compare']);
  const setCompared = (from: number, to: number) =>
    setSearch({ compare: `${from}..${to}` }, { push: compared === undefined });
  if (compared) {
    return (
      <VersionComparison
        // Another pair is another comparison, without the error of the last one.
        key={`${compared.from} ${compared.to}`}
        botId={botId}
        versions={versions}
        {...compared}
        onChange={setCompared}
        onClose={() => setSearch({ compare: undefined })}
      />
    );
  }
  return (
    <VersionList
      botId={botId}
      versions={versions}
      onCompare={setCompared}
      after={<ShowMore list={list} label="Show older versions" />}
    />
  );
}

interface VersionListProps {
  botId: string;
  /** Newest first. */
  versions: readonly BotVersion[];
  onCompare: (from: number, to: number) => void;
  /** Below the rows: a button that reads more. */
  after: ReactNode;
}

/** A line of time with the fields that each save changed. */
function VersionList({ botId, versions, onCompare, after }: VersionListProps) {
  const { can } = useWorkspace();
  const current = versions[0]?.number;
  const restore = useRestore(botId, current);
  const names = useMemberNames();
  return (
    <div className="max-w-4xl px-4 py-4 md:px-6">
      <ol aria-label="Versions, newest first" className="flex flex-col">
        {versions.map((version) => (
          <li key={version.number} className="flex flex-col gap-2 border-line border-b py-3 first:pt-0">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="font-semibold">Version {version.number}</span>
              {version.number === current && <StateBadge state="success" text="Live" />}
              {version.restored_from !== null && (
                <span className="text-ink-2 text-sm">restored from version {version.restored_from}</span>
              )}
              <span className="text-ink-3 text-sm">
                {authorName(names, version.created_by)}, <TimeAgo at={version.created_at} />
              </span>
              {version.number !== current && current !== undefined && (
                <span className="flex flex-wrap gap-2 sm:ml-auto">
                  <Button
                    size="small"
                    icon={<GitCompare aria-hidden />}
                    aria-label={`Compare version ${version.number} with the live one`}
                    onPress={() => onCompare(version.number, current)}
                  >
                    Compare
                  </Button>
                  {can('operator') && (
                    <Button
                      size="small"
                      icon={<History aria-hidden />}
                      aria-label={`Restore version ${version.number}`}
                      isBusy={restore.isPending && restore.variables === version.number}
                      onPress={() => restore.mutate(version.number)}
                    >
                      Restore
                    </Button>
                  )}
                </span>
              )}
            </div>
            <p className="text-ink-2">
              {version.number === 1 ? 'Created' : listFields(version.changes)}
              {version.number > 1 && (
                <Button
                  look="quiet"
                  size="small"
                  className="ml-2 underline underline-offset-2"
                  aria-label={`What changed in version ${version.number}`}
                  onPress={() => onCompare(version.number - 1, version.number)}
                >
                  What changed
                </Button>
              )}
            </p>
            {restore.isError && restore.variables === version.number && (
              <RestoreError error={restore.error} />
            )}
          </li>
        ))}
      </ol>
      {after}
    </div>
  );
}

/** Versions are saved by members and by keys; only current members have names here. */
function authorName(names: ReadonlyMap<string, string> | undefined, id: string | null): string {
  if (id === null) return 'Before versions were kept';
  return names ? (names.get(id) ?? 'By a key or a former member') : 'Saved';
}

interface VersionComparisonProps {
  botId: string;
  versions: readonly BotVersion[];
  from: number;
  to: number;
  onChange: (from: number, to: number) => void;
  onClose: () => void;
}

/** Two versions, field by field. */
function VersionComparison({ botId, versions, from, to, onChange, onClose }: VersionComparisonProps) {
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
        <BarLoading className="h-40" label="Reading the versions" />
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
