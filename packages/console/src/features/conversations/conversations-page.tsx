import { Outlet, useParams } from '@tanstack/react-router';
import { Download, MessagesSquare } from 'lucide-react';
import { exportHref } from '../../api/conversations.ts';
import { useGo, useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { classes } from '../../kit/classes.ts';
import { Kbd } from '../../kit/kbd.tsx';
import { Menu } from '../../kit/menu.tsx';
import { Page } from '../../kit/page.tsx';
import { EmptyState } from '../../kit/placeholders.tsx';
import { ConversationList } from './list/conversation-list.tsx';
import { type FilterSearch, filtersIn, toFilter } from './list/filters.ts';
import { ListFilters } from './list/list-filters.tsx';

/** The list, with the selected conversation beside it; on narrow screens one of the two. */
export function ConversationsPage() {
  const { api } = useWorkspace();
  const go = useGo();
  const [given, setSearch] = useSearchState();
  const { conversation: selected }: { conversation?: string } = useParams({ strict: false });
  const search = filtersIn(given);
  const filter = toFilter(search);

  function download(format: 'csv' | 'ndjson'): void {
    const link = document.createElement('a');
    link.href = exportHref(api, filter, format);
    link.download = '';
    link.click();
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
              onAction: () => download('csv'),
            },
            {
              label: 'As NDJSON',
              description: 'With every message, for programs',
              onAction: () => download('ndjson'),
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
