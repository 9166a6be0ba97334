import type { KnowledgeSource, SourcePassage } from '@svc/contract/console-knowledge';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { passagesQuery } from '../../../api/knowledge.ts';
import { useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { count } from '../../../format/numbers.ts';
import { Button } from '../../../kit/buttons.tsx';
import { classes } from '../../../kit/classes.ts';
import { EmptyState, LoadError, RowsLoading } from '../../../kit/placeholders.tsx';

/** The text as bots find it. `?passage=` leads to one passage: by its id, or by how it begins. */
export function PassageList({ source }: { source: KnowledgeSource }) {
  const { api } = useWorkspace();
  const [search] = useSearchState();
  const passage = search['passage']?.slice(0, 500);
  const list = useInfiniteQuery(passagesQuery(api, source.id, passage));
  if (list.isPending) return <RowsLoading rows={6} />;
  if (list.isError) return <LoadError query={list} />;
  const { pages } = list.data;
  const passages = pages.flatMap((page) => page.passages);
  const wanted = pages.find((page) => page.wanted !== null)?.wanted ?? undefined;
  const total = pages[0]?.total ?? 0;
  if (passages.length === 0) return <NoPassages source={source} />;
  return (
    <section aria-label="Passages" className="mx-auto w-full max-w-4xl px-4 py-4 md:px-6">
      {passage !== undefined && wanted === undefined && (
        <p role="status" className="mb-4 rounded-md bg-info-tint px-3 py-2 text-info-ink text-sm">
          That passage is no longer in this source: it was read again since. These are its passages now.
        </p>
      )}
      {list.hasPreviousPage && (
        <Button
          size="small"
          isBusy={list.isFetchingPreviousPage}
          onPress={() => void list.fetchPreviousPage()}
        >
          Show what comes before
        </Button>
      )}
      <ol className="flex flex-col">
        {passages.map((one) => (
          <PassageItem key={one.id} passage={one} isWanted={one.id === wanted} total={total} />
        ))}
      </ol>
      {list.hasNextPage && (
        <Button isBusy={list.isFetchingNextPage} onPress={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
    </section>
  );
}

function PassageItem({
  passage,
  isWanted,
  total,
}: {
  passage: SourcePassage;
  isWanted: boolean;
  total: number;
}) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isWanted) item.current?.scrollIntoView({ block: 'center' });
  }, [isWanted]);
  return (
    <li
      ref={item}
      id={`passage-${passage.id}`}
      aria-current={isWanted ? 'true' : undefined}
      className={classes(
        '-mx-3 border-line border-b px-3 py-3',
        isWanted ? 'rounded-md bg-selected' : '[content-visibility:auto]',
      )}
    >
      <p className="flex flex-wrap gap-x-3 text-ink-3 text-sm">
        <span>
          {count(passage.position + 1)} of {count(total)}
        </span>
        <span className="min-w-0 flex-1 truncate">{passage.heading_path.join(' › ')}</span>
        <span>{passage.token_count} tokens</span>
        {!passage.is_embedded && <span>found by words only</span>}
      </p>
      <p dir="auto" className="mt-1 max-w-prose whitespace-pre-wrap break-words">
        {passage.content}
      </p>
    </li>
  );
}

function NoPassages({ source }: { source: KnowledgeSource }) {
  const { processing_status: status } = source;
  if (status === 'pending' || status === 'processing')
    return (
      <EmptyState title="It is still being read">Its passages appear here as soon as it is split.</EmptyState>
    );
  return <EmptyState title="Bots find nothing in it">{source.error ?? 'It has no text.'}</EmptyState>;
}
