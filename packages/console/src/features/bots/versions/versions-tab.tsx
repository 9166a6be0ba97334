import { useInfiniteQuery } from '@tanstack/react-query';
import { botVersionsQuery } from '../../../api/bot-versions.ts';
import { useParam, useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { LoadError, RowsLoading, ShowMore } from '../../../kit/placeholders.tsx';
import { parseCompared } from './compare-versions.ts';
import { VersionComparison } from './version-comparison.tsx';
import { VersionList } from './version-list.tsx';

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
