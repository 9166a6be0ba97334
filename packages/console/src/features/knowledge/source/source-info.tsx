import type { KnowledgeSource } from '@svc/contract/console-knowledge';
import type { ReactNode } from 'react';
import { useBotNames } from '../../../app/use-bot-names.ts';
import { count } from '../../../format/numbers.ts';
import { CopyButton } from '../../../kit/buttons.tsx';
import { TimeAgo } from '../../../kit/time-ago.tsx';
import { typeName } from '../source-state.ts';
import { SourceStateCell } from '../source-state-cell.tsx';

export function SourceInfo({ source }: { source: KnowledgeSource }) {
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
