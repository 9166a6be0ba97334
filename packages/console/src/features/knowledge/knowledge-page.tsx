import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { knowledgeOverviewQuery } from '../../api/knowledge.ts';
import { PageLink, useSearchState } from '../../app/page-links.tsx';
import { useWorkspace } from '../../app/workspace-context.tsx';
import { count, plural } from '../../format/numbers.ts';
import { Page } from '../../kit/page.tsx';
import { AddBar } from './add-bar.tsx';
import { DropArea } from './drop-area.tsx';
import { KeywordNotice } from './keyword-notice.tsx';
import { KnowledgeFilters } from './knowledge-filters.tsx';
import { KnowledgeTable } from './knowledge-table.tsx';
import { UploadList } from './upload-list.tsx';
import { useUploads } from './use-uploads.ts';

/** The sources that bots answer from. */
export function KnowledgePage() {
  const { api, can } = useWorkspace();
  const [search] = useSearchState();
  const [botId, setBotId] = useState<string>();
  const { uploads, add, remove } = useUploads();
  const overview = useQuery(knowledgeOverviewQuery(api));
  const isTrash = search['deleted'] === '1';
  const mayAdd = can('operator') && !isTrash;
  const addFiles = (files: File[]) => add(files, botId);
  return (
    <Page
      title={isTrash ? 'Deleted knowledge' : 'Knowledge'}
      beside={
        overview.data &&
        !isTrash && (
          <span className="text-ink-3 text-sm">
            {plural(overview.data.active, 'source')} · {plural(overview.data.passages, 'passage')}
          </span>
        )
      }
      actions={
        isTrash ? (
          <PageLink path="/knowledge" className="text-accent-ink underline">
            All sources
          </PageLink>
        ) : (
          <TrashLink deleted={overview.data?.deleted ?? 0} />
        )
      }
    >
      {mayAdd && (
        <>
          <DropArea onFiles={addFiles} />
          <AddBar botId={botId} onBot={setBotId} onFiles={addFiles} />
        </>
      )}
      <UploadList uploads={uploads} onRemove={remove} />
      {overview.data && !isTrash && <KeywordNotice overview={overview.data} />}
      <KnowledgeFilters />
      <KnowledgeTable />
    </Page>
  );
}

function TrashLink({ deleted }: { deleted: number }) {
  if (deleted === 0) return null;
  return (
    <PageLink path="/knowledge" search={{ deleted: 1 }} className="text-accent-ink text-sm underline">
      Deleted ({count(deleted)})
    </PageLink>
  );
}
