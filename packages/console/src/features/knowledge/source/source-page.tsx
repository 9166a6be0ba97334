import { ApiError } from '@svc/client/api-error';
import { useQuery } from '@tanstack/react-query';
import { sourceQuery } from '../../../api/knowledge.ts';
import { TextLink, useGo, useParam, useWorkspace } from '../../../app/workspace.tsx';
import { Page } from '../../../kit/page.tsx';
import { EmptyState, LoadError, RowsLoading } from '../../../kit/placeholders.tsx';
import { SourceActions } from '../source-actions.tsx';
import { PassageList } from './passage-list.tsx';
import { SourceInfo } from './source-info.tsx';

/** One source: what it is, and the passages that bots find. Citations lead here. */
export function SourcePage() {
  const { api } = useWorkspace();
  const id = useParam('knowledge');
  const go = useGo();
  const source = useQuery(sourceQuery(api, id));
  if (source.isPending) {
    return (
      <Page title="Source">
        <RowsLoading />
      </Page>
    );
  }
  if (source.isError) {
    const isGone = source.error instanceof ApiError && source.error.status === 404;
    return (
      <Page title="Source">
        {isGone ? (
          <EmptyState
            title="This source does not exist, or no longer"
            action={<TextLink path="/knowledge">All sources</TextLink>}
          />
        ) : (
          <LoadError query={source} />
        )}
      </Page>
    );
  }
  return (
    <Page
      title={source.data.title}
      beside={
        <TextLink path="/knowledge" className="text-sm max-md:hidden">
          All sources
        </TextLink>
      }
      actions={<SourceActions source={source.data} onGone={() => go('/knowledge')} />}
    >
      <SourceInfo source={source.data} />
      <PassageList source={source.data} />
    </Page>
  );
}
