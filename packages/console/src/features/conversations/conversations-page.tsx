import type { ListedConversation } from '@svc/contract/console-conversations';
import { Outlet, useParams } from '@tanstack/react-router';
import { ArrowUp, Download, MessagesSquare } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { exportHref } from '../../api/conversations.ts';
import { useShortcuts } from '../../app/shortcuts/use-shortcuts.ts';
import { TextLink, useGo, useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { download } from '../../format/csv.ts';
import { dayOf } from '../../format/time.ts';
import { Button } from '../../kit/buttons.tsx';
import { classes } from '../../kit/classes.ts';
import { Kbd } from '../../kit/labels.tsx';
import { Menu } from '../../kit/menu.tsx';
import { Page } from '../../kit/page.tsx';
import { Bar, EmptyState, LoadError, Loading } from '../../kit/placeholders.tsx';
import { ConversationRow } from './list/conversation-row.tsx';
import { type FilterSearch, filtersIn, timeOfId, toFilter } from './list/filters.ts';
import { ListFilters } from './list/list-filters.tsx';
import { useConversationRows } from './list/use-conversation-rows.ts';
import { Views } from './list/views.tsx';

/** The list, with the selected conversation beside it; on narrow screens one of the two. */
export function ConversationsPage() {
  const { api, user } = useWorkspace();
  const go = useGo();
  const [given, setSearch] = useSearchState();
  const { conversation: selected }: { conversation?: string } = useParams({ strict: false });
  const search = filtersIn(given);
  const filter = toFilter(search, user.id);

  function exportAs(format: 'csv' | 'ndjson'): void {
    download(exportHref(api, filter, format));
  }

  return (
    <Page
      title="Conversations"
      isFixed
      hasNoBarOnNarrow={selected !== undefined}
      actions={
        <Menu
          label="Export"
          entries={[
            {
              label: 'As CSV',
              description: 'A line per conversation, for spreadsheets',
              onAction: () => exportAs('csv'),
            },
            {
              label: 'As NDJSON',
              description: 'With every message, for programs',
              onAction: () => exportAs('ndjson'),
            },
          ]}
        >
          <Button icon={<Download aria-hidden />}>Export</Button>
        </Menu>
      }
    >
      <div className="flex h-full min-h-0">
        <div
          className={classes(
            'flex min-h-0 w-full flex-col border-line bg-surface lg:w-96 lg:shrink-0 lg:border-r',
            selected !== undefined && 'max-lg:hidden',
            // List, conversation and panel need this much room beside each other.
            selected !== undefined && given['panel'] !== undefined && 'max-[1700px]:hidden',
          )}
        >
          <Views search={search} />
          <ListFilters search={search} onChange={(change: FilterSearch) => setSearch(change)} />
          <ConversationList search={search} onClear={() => go('/conversations')} />
        </div>
        <div className={classes('min-w-0 flex-1', selected === undefined && 'max-lg:hidden')}>
          {selected === undefined ? (
            <EmptyState icon={<MessagesSquare aria-hidden />} title="Select a conversation">
              Press <Kbd>j</Kbd> and <Kbd>k</Kbd> to read one after the other.
            </EmptyState>
          ) : (
            <Outlet />
          )}
        </div>
      </div>
    </Page>
  );
}

function ConversationList({ search, onClear }: { search: FilterSearch; onClear: () => void }) {
  const { conversation: selected }: { conversation?: string } = useParams({ strict: false });
  const go = useGo();
  const { user } = useWorkspace();
  const scroller = useRef<HTMLDivElement>(null);
  const { list, first, rows, isFiltered, newCount, showNew } = useConversationRows(toFilter(search, user.id));
  const all = [...first, ...rows];

  function step(by: 1 | -1): void {
    const index = all.findIndex(({ id }) => id === selected);
    const next = all[index === -1 ? 0 : index + by];
    if (!next) return;
    go(`/conversations/${next.id}`, search, { replace: selected !== undefined });
    scroller.current?.querySelector(`[data-row="${next.id}"]`)?.scrollIntoView({ block: 'nearest' });
  }
  useShortcuts('Conversations', [
    { keys: 'j', label: 'Next conversation', run: () => step(1) },
    { keys: 'k', label: 'Previous conversation', run: () => step(-1) },
  ]);

  if (list.isPending) return <ListLoading />;
  if (list.isError && !list.data) return <LoadError query={list} className="p-4" />;
  const toRow = (row: ListedConversation) => (
    <ConversationRow key={row.id} conversation={row} search={search} isSelected={row.id === selected} />
  );
  const last = list.data.pages.at(-1);
  const isPartial = last?.next !== undefined && last.items.length < 50;
  return (
    <div ref={scroller} className="relative min-h-0 flex-1 overflow-y-auto">
      {newCount > 0 && (
        <div className="sticky top-2 z-10 flex h-0 justify-center overflow-visible">
          <Button
            size="small"
            look="primary"
            icon={<ArrowUp aria-hidden />}
            onPress={() => {
              showNew();
              scroller.current?.scrollTo({ top: 0 });
            }}
          >
            {newCount} new
          </Button>
        </div>
      )}
      {first.length > 0 && (
        <section aria-label="Waiting for a person">
          <h2 className="bg-paused-tint px-4 py-1.5 font-medium text-paused-ink text-xs">
            Waiting for a person
          </h2>
          <ul>{first.map(toRow)}</ul>
        </section>
      )}
      <section
        aria-label="Conversations"
        aria-busy={list.isPlaceholderData}
        className={list.isPlaceholderData ? 'opacity-60' : ''}
      >
        {first.length > 0 && rows.length > 0 && (
          <h2 className="bg-sunken px-4 py-1.5 font-medium text-ink-2 text-xs">Latest activity</h2>
        )}
        <ul>{rows.map(toRow)}</ul>
      </section>
      {all.length === 0 && !isPartial && (
        <NoConversations icon={<MessagesSquare aria-hidden />} isFiltered={isFiltered} onClear={onClear} />
      )}
      {list.isError && <LoadError query={list} className="p-4" />}
      {list.hasNextPage && (
        <div className="flex flex-wrap items-center justify-center gap-3 p-4 text-ink-2 text-sm">
          {isPartial && last?.next && <span>Searched back to {dayOf(timeOfId(last.next))}.</span>}
          <Button size="small" isBusy={list.isFetchingNextPage} onPress={() => void list.fetchNextPage()}>
            {isPartial ? 'Search further' : 'Show more'}
          </Button>
        </div>
      )}
    </div>
  );
}

/** The outline of the list. */
function ListLoading() {
  return (
    <Loading label="Loading conversations">
      <div className="flex flex-col">
        {Array.from({ length: 8 }, (_, row) => (
          <div key={row} className="flex flex-col gap-2 border-line border-b px-4 py-3">
            <span className="flex justify-between gap-6">
              <Bar className="w-1/2" />
              <Bar className="w-12" />
            </span>
            <Bar className="h-3 w-1/3" />
            <Bar className="h-3 w-3/4" />
          </div>
        ))}
      </div>
    </Loading>
  );
}

interface NoConversationsProps {
  icon: ReactNode;
  isFiltered: boolean;
  onClear: () => void;
}

function NoConversations({ icon, isFiltered, onClear }: NoConversationsProps) {
  if (isFiltered) {
    return (
      <EmptyState
        icon={icon}
        title="No conversation matches"
        action={<Button onPress={onClear}>Clear filters</Button>}
      >
        Search for an id, a user, or a text such as "two weeks".
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={icon}
      title="Conversations with your bots appear here"
      action={
        <TextLink path="/widgets" className="font-medium underline-offset-2">
          Put a bot on your site
        </TextLink>
      }
    >
      Each one as it happens: messages, tool calls and what they cost. For example "Where is my parcel?" from
      a visitor of your site.
    </EmptyState>
  );
}
