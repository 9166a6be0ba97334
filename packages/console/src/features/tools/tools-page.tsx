import { useQuery } from '@tanstack/react-query';
import { FileUp } from 'lucide-react';
import { catalogQuery, toolsQuery } from '../../api/tools.ts';
import { useGo } from '../../app/page-links.tsx';
import { useWorkspace } from '../../app/workspace-context.tsx';
import { Button } from '../../kit/button.tsx';
import { LoadError } from '../../kit/inline-error.tsx';
import { Page } from '../../kit/page.tsx';
import { RowsLoading } from '../../kit/skeleton.tsx';
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
