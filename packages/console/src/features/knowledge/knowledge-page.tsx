import type { KnowledgeOverview } from '@svc/contract/console-knowledge';
import { useQuery } from '@tanstack/react-query';
import { Info, Upload } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { knowledgeOverviewQuery } from '../../api/knowledge.ts';
import { TextLink, useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { count, plural } from '../../format/numbers.ts';
import { Page } from '../../kit/page.tsx';
import { AddBar } from './add-bar.tsx';
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
          <TextLink path="/knowledge">All sources</TextLink>
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
    <TextLink path="/knowledge" search={{ deleted: 1 }} className="text-sm">
      Deleted ({count(deleted)})
    </TextLink>
  );
}

/** Takes files that are dropped anywhere on the page, and says so while they are above it. */
function DropArea({ onFiles }: { onFiles: (files: File[]) => void }) {
  const [isOver, setOver] = useState(false);
  const take = useEffectEvent((event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0) onFiles(files);
  });
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    // `relatedTarget` is empty only when the pointer leaves the window.
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => hasFiles(event) && take(event);
    window.addEventListener('dragover', over);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, []);
  if (!isOver) return null;
  return (
    <div className="pointer-events-none fixed inset-2 z-40 flex items-center justify-center rounded-lg border-2 border-accent border-dashed bg-selected/90">
      <p className="flex items-center gap-2 font-semibold text-accent-ink text-xl">
        <Upload aria-hidden className="size-6" />
        Drop the files to add them
      </p>
    </div>
  );
}

/** Says that nothing is compared by meaning, and what would change that. */
function KeywordNotice({ overview }: { overview: KnowledgeOverview }) {
  const { embedding_model: model, passages, unfinished } = overview;
  if (model !== null || passages === 0 || unfinished > 0) return null;
  return (
    <p className="flex items-start gap-2 border-line border-b bg-info-tint px-4 py-2 text-info-ink text-sm md:px-6">
      <Info aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span>
        Bots find passages by words only: a question in other words than the text may find nothing. Set{' '}
        <code>SVC_EMBEDDING_MODEL</code> to compare meanings too.
      </span>
    </p>
  );
}
