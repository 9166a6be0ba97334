import { ApiError } from '@svc/client/api-error';
import { catalogQuery, toolQuery, toolUsesQuery } from '../../../api/tools.ts';
import { TextLink, useParam, useRead } from '../../../app/workspace.tsx';
import { Page } from '../../../kit/page.tsx';
import { EmptyState, FormLoading, LoadError } from '../../../kit/placeholders.tsx';
import { ToolEditor } from './tool-editor.tsx';

export function ToolPage() {
  const id = useParam('tool');
  const tool = useRead(toolQuery, id);
  const catalog = useRead(catalogQuery);
  const uses = useRead(toolUsesQuery, id);
  const failed = [tool, catalog].find(({ isError }) => isError);
  const entry = catalog.data?.find((one) => one.tool_type === tool.data?.tool_type);
  // Deleted by somebody else, it would look as if it could still be saved.
  const isGone = failed?.error instanceof ApiError && failed.error.status === 404;
  if (tool.data && entry && !isGone) {
    return <ToolEditor key={id} entry={entry} tool={tool.data} use={uses.data?.[0]} presetId={undefined} />;
  }
  return (
    <Page title="Tool">
      {!failed && !(tool.data && catalog.data) && <FormLoading />}
      {failed && !isGone && <LoadError query={failed} />}
      {(isGone || (tool.data && catalog.data)) && (
        <EmptyState
          title={
            isGone ? 'This tool does not exist, or no longer' : 'This service does not know this type of tool'
          }
          action={<TextLink path="/tools">All tools</TextLink>}
        />
      )}
    </Page>
  );
}
