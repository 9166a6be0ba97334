import { catalogQuery } from '../../../api/tools.ts';
import { OnlyFor } from '../../../app/only-for.tsx';
import { useRead, useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { Page } from '../../../kit/page.tsx';
import { LoadError, RowsLoading } from '../../../kit/placeholders.tsx';
import { Catalog } from '../catalog.tsx';
import { needsNothing } from '../tool-types.ts';
import { ToolEditor } from './tool-editor.tsx';

/** A new tool: the type and the preset are in the address. */
export function NewToolPage() {
  const { can } = useWorkspace();
  const [{ type, preset }] = useSearchState();
  const catalog = useRead(catalogQuery);
  const entry = catalog.data?.find((one) => one.tool_type === type);
  if (entry && !needsNothing(entry) && can('operator')) {
    return (
      <ToolEditor
        key={`${type} ${preset}`}
        entry={entry}
        tool={undefined}
        use={undefined}
        presetId={preset}
      />
    );
  }
  return (
    <Page title="New tool">
      {catalog.isPending && <RowsLoading />}
      {catalog.isError && <LoadError query={catalog} />}
      <OnlyFor role="operator" does="add tools">
        {catalog.data && <Catalog catalog={catalog.data} />}
      </OnlyFor>
    </Page>
  );
}
