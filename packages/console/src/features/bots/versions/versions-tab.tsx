import type { BotVersion } from '@svc/contract/bot-versions';
import { useInfiniteQuery } from '@tanstack/react-query';
import { GitCompare, History } from 'lucide-react';
import type { ReactNode } from 'react';
import { botVersionsQuery } from '../../../api/bots.ts';
import { useParam, useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { LoadError, RowsLoading, ShowMore } from '../../../kit/placeholders.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { TimeAgo } from '../../../kit/time-ago.tsx';
import { parseCompared } from './compare-versions.ts';
import { listFields } from './field-names.ts';
import { RestoreError, useRestore } from './restore.tsx';
import { useMemberNames } from './use-saved-by.ts';
import { VersionComparison } from './version-comparison.tsx';

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
