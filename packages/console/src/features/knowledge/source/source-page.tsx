import { ApiError } from '@svc/client/api-error';
import type { KnowledgeSource, SourcePassage } from '@svc/contract/console-knowledge';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { passagesQuery, sourceQuery } from '../../../api/knowledge.ts';
import { useBotNames } from '../../../app/bot-select.tsx';
import { TextLink, useGo, useParam, useRead, useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { count } from '../../../format/numbers.ts';
import { Button, CopyButton } from '../../../kit/buttons.tsx';
import { classes } from '../../../kit/classes.ts';
import { TimeAgo } from '../../../kit/labels.tsx';
import { Page } from '../../../kit/page.tsx';
import { EmptyState, LoadError, RowsLoading } from '../../../kit/placeholders.tsx';
import { SourceActions } from '../source-actions.tsx';
import { SourceStateCell, typeName } from '../source-state.tsx';

/** One source: what it is, and the passages that bots find. Citations lead here. */
export function SourcePage() {
  const id = useParam('knowledge');
  const go = useGo();
  const source = useRead(sourceQuery, id);
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

/** The text as bots find it. `?passage=` leads to one passage: by its id, or by how it begins. */
function PassageList({ source }: { source: KnowledgeSource }) {
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

function SourceInfo({ source }: { source: KnowledgeSource }) {
  const nameOf = useBotNames();
  const { status, source_url: url, source_filename: file } = source;
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-3 border-line border-b bg-surface px-4 py-3 text-sm md:px-6">
      <Item term="State">
        {status === 'inactive' ? 'Deleted: no bot uses it' : <SourceStateCell source={source} />}
      </Item>
      <Item term="Type">{typeName(source.content_type)}</Item>
      <Item term="For">{source.bot_id === null ? 'Every bot' : nameOf(source.bot_id)}</Item>
      <Item term="Passages">{count(source.passage_count)}</Item>
      {source.content_truncated && (
        <Item term="Text">Long: the API returns its first 50,000 characters. Bots find all of it.</Item>
      )}
      {url && (
        <Item term="Address">
          <a href={url} target="_blank" rel="noreferrer" className="break-all text-accent-ink underline">
            {url}
          </a>
        </Item>
      )}
      {file && file !== source.title && <Item term="File">{file}</Item>}
      <Item term="Added">
        <TimeAgo at={source.created_at} />
      </Item>
      <Item term="Changed">
        <TimeAgo at={source.updated_at} />
      </Item>
      {Object.entries(source.metadata).map(([name, value]) => (
        <Item key={name} term={name}>
          {value}
        </Item>
      ))}
      <Item term="Id">
        <span className="inline-flex items-center font-mono text-xs">
          {source.id.slice(0, 8)}…
          <CopyButton text={source.id} label="Copy the id" />
        </span>
      </Item>
    </dl>
  );
}

function Item({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-ink-3">{term}</dt>
      <dd className="min-h-6 min-w-0">{children}</dd>
    </div>
  );
}
