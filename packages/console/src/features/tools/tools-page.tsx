import { useQuery } from '@tanstack/react-query';
import { FileUp } from 'lucide-react';
import { catalogQuery, toolsQuery } from '../../api/tools.ts';
import { useGo, useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { Page } from '../../kit/page.tsx';
import { LoadError, RowsLoading } from '../../kit/placeholders.tsx';
import { Catalog } from './catalog.tsx';
import { ToolTable } from './tool-table.tsx';

/** The tools of the workspace, and the types that more can be made of. */
export function ToolsPage() {
  const { api, can } = useWorkspace();
  const go = useGo();
  const tools = useQuery(toolsQuery(api));
  const catalog = useQuery(catalogQuery(api));
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
