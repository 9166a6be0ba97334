import type { KnowledgeSource } from '@svc/contract/console-knowledge';
import { useInfiniteQuery } from '@tanstack/react-query';
import { BookOpen, FileText, Globe, type LucideIcon, Type } from 'lucide-react';
import { sourcesQuery } from '../../api/knowledge.ts';
import { useBotNames } from '../../app/bot-select.tsx';
import { PageLink, useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { count } from '../../format/numbers.ts';
import { Button } from '../../kit/buttons.tsx';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { EmptyState, LoadError, RowsLoading, ShowMore } from '../../kit/placeholders.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { NameText } from '../../kit/visible-text.tsx';
import { SourceActions } from './source-actions.tsx';
import { SourceStateCell, typeName } from './source-state.tsx';

const icons: Record<KnowledgeSource['content_type'], LucideIcon> = {
  text: Type,
  uploaded_file: FileText,
  url: Globe,
};

export function KnowledgeTable() {
  const { api, can } = useWorkspace();
  const [search, setSearch] = useSearchState();
  const { q, bot, status, type } = search;
  const isTrash = search['deleted'] === '1';
  const list = useInfiniteQuery(
    sourcesQuery(api, { q, bot_id: bot, status, type, ...(isTrash && { deleted: true }) }),
  );
  const nameOf = useBotNames();
  if (list.isPending) return <RowsLoading />;
  if (list.isError) return <LoadError query={list} />;
  const rows = list.data.pages.flatMap(({ items }) => items);
  if (rows.length === 0 && (q || bot || status || type)) {
    return (
      <EmptyState
        title="No source matches"
        action={
          <Button
            onPress={() => setSearch({ q: undefined, bot: undefined, status: undefined, type: undefined })}
          >
            Clear the filters
          </Button>
        }
      />
    );
  }
  if (rows.length === 0) return isTrash ? <EmptyTrash /> : <NoKnowledge mayAdd={can('operator')} />;
  return (
    <>
      <DataTable label="Sources" columns={columnsFor(nameOf, isTrash)} rows={rows} keyOf={({ id }) => id} />
      <ShowMore list={list} />
    </>
  );
}

function columnsFor(nameOf: (botId: string) => string, isTrash: boolean): Column<KnowledgeSource>[] {
  return [
    {
      title: 'Title',
      className: 'max-w-0 w-full md:w-1/3',
      cell: (source) => {
        const Icon = icons[source.content_type];
        return (
          <>
            <PageLink
              path={`/knowledge/${source.id}`}
              title={source.title}
              className="flex items-center gap-2 font-medium max-md:pt-1"
            >
              <Icon aria-label={typeName(source.content_type)} className="size-4 shrink-0 text-ink-3" />
              <span dir="auto" className="truncate">
                <NameText text={source.title} />
              </span>
            </PageLink>
            {!isTrash && (
              <div className="pl-6 md:hidden">
                <SourceStateCell source={source} />
              </div>
            )}
          </>
        );
      },
    },
    {
      title: 'For',
      isSecondary: true,
      cell: ({ bot_id }) => (
        <span className="text-ink-2">{bot_id === null ? 'Every bot' : nameOf(bot_id)}</span>
      ),
    },
    {
      title: 'Passages',
      isNumber: true,
      isSecondary: true,
      cell: ({ passage_count: passages }) => (passages > 0 ? count(passages) : '–'),
    },
    {
      title: isTrash ? 'Deleted' : 'State',
      isSecondary: !isTrash,
      className: 'md:min-w-64',
      cell: (source) => (isTrash ? <TimeAgo at={source.updated_at} /> : <SourceStateCell source={source} />),
    },
    {
      title: 'Added',
      isSecondary: true,
      cell: ({ created_at }) => <TimeAgo at={created_at} className="whitespace-nowrap text-ink-2" />,
    },
    {
      title: 'Actions',
      className: 'w-px',
      cell: (source) => <SourceActions source={source} />,
    },
  ];
}

function EmptyTrash() {
  return (
    <EmptyState title="Nothing is deleted">
      What you delete stays here until you remove it for good.
    </EmptyState>
  );
}

function NoKnowledge({ mayAdd }: { mayAdd: boolean }) {
  return (
    <EmptyState icon={<BookOpen aria-hidden />} title="Bots have nothing to read yet">
      {mayAdd
        ? 'Drop a file here, such as your returns policy or a handbook: bots answer from it and name the passage.'
        : 'Operators add files, web pages and texts here; bots answer from them and name the passage.'}
    </EmptyState>
  );
}
