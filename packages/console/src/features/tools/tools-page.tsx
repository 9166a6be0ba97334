import type { CatalogEntry, Tool } from '@svc/contract/tools';
import { FileUp, Wrench } from 'lucide-react';
import { catalogQuery, toolsQuery, toolUsesQuery } from '../../api/tools.ts';
import { PageLink, useGo, useRead, useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { NameText, StateBadge, TimeAgo } from '../../kit/labels.tsx';
import { Page } from '../../kit/page.tsx';
import { EmptyState, LoadError, RowsLoading } from '../../kit/placeholders.tsx';
import { Catalog } from './catalog.tsx';
import { UsedBy } from './used-by.tsx';

/** The tools of the workspace, and the types that more can be made of. */
export function ToolsPage() {
  const { can } = useWorkspace();
  const go = useGo();
  const tools = useRead(toolsQuery);
  const catalog = useRead(catalogQuery);
  const failed = [tools, catalog].find(({ isError }) => isError);
  return (
    <Page
      title="Tools"
      actions={
        can('operator') && (
          <>
            <Button icon={<FileUp aria-hidden />} onPress={() => go('/tools/import')}>
              Import OpenAPI
            </Button>
            <Button look="primary" onPress={() => go('/tools/new', { type: 'http_request' })}>
              Add a tool
            </Button>
          </>
        )
      }
    >
      {failed && <LoadError query={failed} />}
      {!failed && !(tools.data && catalog.data) && <RowsLoading />}
      {tools.data && catalog.data && (
        <>
          <ToolTable tools={tools.data} catalog={catalog.data} />
          <Catalog catalog={catalog.data} />
        </>
      )}
    </Page>
  );
}

function ToolTable({ tools, catalog }: { tools: readonly Tool[]; catalog: readonly CatalogEntry[] }) {
  const uses = useRead(toolUsesQuery);
  if (tools.length === 0) {
    return (
      <EmptyState icon={<Wrench aria-hidden />} title="No tools of your own yet">
        A tool lets bots do something: look up an order, post to a channel, search an MCP server. Choose a
        type below.
      </EmptyState>
    );
  }
  const typeNames = new Map(catalog.map(({ tool_type, name }) => [tool_type, name]));
  const columns: Column<Tool>[] = [
    {
      title: 'Name',
      className: 'max-w-0 w-full md:w-2/5',
      cell: ({ id, name, description }) => (
        <PageLink path={`/tools/${id}`} title={description} className="block min-w-0">
          <span dir="auto" className="block truncate font-medium">
            <NameText text={name} />
          </span>
          <span className="block truncate text-ink-3 text-xs">{description}</span>
        </PageLink>
      ),
    },
    {
      title: 'Type',
      cell: ({ tool_type }) => (
        <span className="whitespace-nowrap">{typeNames.get(tool_type) ?? tool_type}</span>
      ),
    },
    {
      title: 'Used by',
      isSecondary: true,
      cell: ({ id }) => <UsedBy use={uses.data?.find((one) => one.tool_id === id)} />,
    },
    {
      title: 'Asks first',
      isSecondary: true,
      cell: ({ asks_first: asks }) => <span className="text-ink-2">{asks}</span>,
    },
    {
      title: 'State',
      cell: ({ is_active: isActive, is_default: isDefault }) =>
        isActive ? (
          <StateBadge state="success" text={isDefault ? 'On, for new bots' : 'On'} />
        ) : (
          <StateBadge state="idle" text="Off" />
        ),
    },
    {
      title: 'Changed',
      isSecondary: true,
      cell: ({ updated_at }) => <TimeAgo at={updated_at} className="whitespace-nowrap text-ink-2" />,
    },
  ];
  return <DataTable label="Tools" columns={columns} rows={tools} keyOf={({ id }) => id} />;
}
