import type { ConsoleBot } from '@svc/contract/console-bots';
import { Code } from 'lucide-react';
import { botsQuery } from '../../api/bots.ts';
import { widgetSummariesQuery } from '../../api/widgets.ts';
import { PageLink, useRead, useWorkspace } from '../../app/workspace.tsx';
import { plural } from '../../format/numbers.ts';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { StateBadge, TimeAgo } from '../../kit/labels.tsx';
import { Page } from '../../kit/page.tsx';
import { EmptyState, LoadError, RowsLoading } from '../../kit/placeholders.tsx';

/** Every bot that can be put on a website; those that are on one come first. */
export function WidgetsPage() {
  const { can } = useWorkspace();
  const bots = useRead(botsQuery);
  const summaries = useRead(widgetSummariesQuery);
  const failed = bots.isError ? bots : summaries.isError ? summaries : undefined;
  const byBot = new Map(summaries.data?.map((summary) => [summary.bot_id, summary]));
  const rows = (bots.data ?? [])
    .filter(({ id, bot_type: type, status }) => byBot.has(id) || (type === 'chatbot' && status === 'active'))
    .toSorted((one, other) => Number(byBot.has(other.id)) - Number(byBot.has(one.id)));

  const columns: Column<ConsoleBot>[] = [
    {
      title: 'Bot',
      className: 'w-full max-w-0',
      cell: ({ id, name }) => (
        <PageLink path={`/widgets/${id}`} className="block truncate font-medium hover:underline" title={name}>
          {name}
        </PageLink>
      ),
    },
    {
      title: 'Keys',
      className: 'whitespace-nowrap',
      cell({ id, status }) {
        const active = byBot.get(id)?.active_keys ?? 0;
        if (status !== 'active') return <StateBadge state="warning" text="bot inactive" />;
        if (active > 0) return plural(active, 'key');
        if (!can('operator')) return <span className="text-ink-3">not on a site yet</span>;
        return (
          <PageLink path={`/widgets/${id}`} className="text-accent-ink hover:underline">
            Put it on your site
          </PageLink>
        );
      },
    },
    {
      title: 'Last seen',
      isSecondary: true,
      className: 'whitespace-nowrap',
      cell({ id }) {
        const { last_used_at: at, last_used_host: host } = byBot.get(id) ?? {};
        if (!at) return <span className="text-ink-3">never</span>;
        return (
          <>
            on {host ?? 'a page'} <TimeAgo at={at} />
          </>
        );
      },
    },
  ];

  return (
    <Page title="Widgets">
      {(bots.isPending || summaries.isPending) && !failed && <RowsLoading rows={5} />}
      {failed && <LoadError query={failed} className="p-4" />}
      {bots.data && summaries.data && rows.length === 0 && (
        <EmptyState
          icon={<Code aria-hidden />}
          title="There is no bot to put on a website."
          action={
            can('operator') && (
              <PageLink
                path="/bots/new"
                className="rounded-md bg-accent px-3 py-1.5 font-medium text-on-accent"
              >
                New bot
              </PageLink>
            )
          }
        >
          <p>
            A widget is a chat with one of your bots, on any page: one line of HTML, for example in your shop.
          </p>
        </EmptyState>
      )}
      {bots.data && summaries.data && rows.length > 0 && (
        <DataTable label="Widgets" columns={columns} rows={rows} keyOf={({ id }) => id} />
      )}
    </Page>
  );
}
