import type { ExplainedPassage, ExplainedSearch } from '@svc/contract/console-knowledge';
import { MessageSquare, Search } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import { knowledgeOverviewQuery, searchQuery } from '../../../api/knowledge.ts';
import { BotSelect } from '../../../app/bot-select.tsx';
import { TextLink, useGo, useRead, useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { TextField } from '../../../kit/fields.tsx';
import { Meter } from '../../../kit/meter.tsx';
import { Page } from '../../../kit/page.tsx';
import { EmptyState, LoadError, RowsLoading } from '../../../kit/placeholders.tsx';

/** What bots would find for a question, and why. */
export function SearchPage() {
  const { can } = useWorkspace();
  const [search, setSearch] = useSearchState();
  const go = useGo();
  const { q = '', bot } = search;
  const [question, setQuestion] = useState(q);
  // The Back button changes the address, too.
  useEffect(() => setQuestion(q), [q]);
  const found = useRead(searchQuery, q, bot);
  const overview = useRead(knowledgeOverviewQuery);
  const isEmpty = overview.data?.active === 0;
  function ask(event: FormEvent): void {
    event.preventDefault();
    setSearch({ q: question.trim() || undefined }, { push: true });
  }
  return (
    <Page
      title="Search what bots would find"
      actions={
        <TextLink path="/knowledge" className="text-sm">
          All sources
        </TextLink>
      }
    >
      <form
        onSubmit={ask}
        className="flex flex-wrap items-end gap-3 border-line border-b bg-surface px-4 py-3 md:px-6"
      >
        <TextField
          label="Question"
          type="search"
          placeholder="Can I send headphones back?"
          autoFocus
          maxLength={1000}
          value={question}
          onChange={setQuestion}
          className="min-w-48 flex-1"
        />
        <BotSelect
          label="As this bot"
          noneLabel="All sources"
          value={bot}
          onChange={(id) => setSearch({ bot: id })}
        />
        <Button type="submit" look="primary" icon={<Search aria-hidden />} isBusy={found.isFetching}>
          Search
        </Button>
        {bot && q && can('operator') && (
          <Button
            icon={<MessageSquare aria-hidden />}
            onPress={() => go(`/bots/${bot}/prompt`, { test: 1, ask: q })}
          >
            Ask the bot this
          </Button>
        )}
      </form>
      {isEmpty && (
        <EmptyState
          icon={<Search aria-hidden />}
          title="There is nothing to find yet"
          action={<TextLink path="/knowledge">Add a source</TextLink>}
        >
          Bots find passages of files, web pages and texts. This workspace has none of them.
        </EmptyState>
      )}
      {!isEmpty && q === '' && (
        <EmptyState icon={<Search aria-hidden />} title="Ask as a visitor would">
          You see the passages that a bot gets with the question, and whether words or meaning found them.
        </EmptyState>
      )}
      {q !== '' && found.isPending && <RowsLoading rows={5} />}
      {found.isError && <LoadError query={found} />}
      {!isEmpty && q !== '' && found.data && <FoundPassages found={found.data} question={q} />}
    </Page>
  );
}

function FoundPassages({ found, question }: { found: ExplainedSearch; question: string }) {
  const { passages, embedding_model: model } = found;
  if (passages.length === 0) {
    return (
      <EmptyState title="Bots would find nothing">
        No passage is close enough to “{question}”. Try other words, or add a source that answers it.
      </EmptyState>
    );
  }
  return (
    <section aria-label="What bots would find" className="mx-auto w-full max-w-4xl px-4 py-4 md:px-6">
      <p className="mb-2 text-ink-3 text-sm">
        {model === null
          ? 'Found by words only: no model compares meanings.'
          : `The score combines meaning, as ${model} compares it, and shared words.`}
      </p>
      <ol className="flex flex-col">
        {passages.map((passage, index) => (
          <FoundItem
            key={passage.passage_id}
            passage={passage}
            rank={index + 1}
            hasMeaning={model !== null}
          />
        ))}
      </ol>
    </section>
  );
}

interface FoundItemProps {
  passage: ExplainedPassage;
  rank: number;
  hasMeaning: boolean;
}

function FoundItem({ passage, rank, hasMeaning }: FoundItemProps) {
  const place = [passage.title, ...passage.heading_path.filter((heading) => heading !== passage.title)];
  return (
    <li className="flex flex-wrap gap-x-6 gap-y-2 border-line border-b py-4">
      <div className="min-w-0 flex-1 basis-72">
        <p className="flex gap-2">
          <span className="text-ink-3">{rank}</span>
          <TextLink
            path={`/knowledge/${passage.knowledge_id}`}
            search={{ passage: passage.passage_id }}
            className="min-w-0 truncate font-medium"
          >
            {place.join(' › ')}
          </TextLink>
        </p>
        <p dir="auto" className="mt-1 line-clamp-6 whitespace-pre-wrap break-words text-ink-2">
          {passage.quote}
        </p>
      </div>
      <dl className="grid w-48 shrink-0 grid-cols-[auto_1fr_auto] content-start items-center gap-x-2 gap-y-1 text-sm">
        <Score name="Score" value={passage.score} isMain />
        <Score name="Words" value={passage.keyword_score} />
        {hasMeaning && <Score name="Meaning" value={passage.vector_score} />}
      </dl>
    </li>
  );
}

function Score({ name, value, isMain = false }: { name: string; value: number; isMain?: boolean }) {
  return (
    <>
      <dt className={isMain ? 'font-medium' : 'text-ink-2'}>{name}</dt>
      <dd>
        <Meter label={name} value={value} />
      </dd>
      <dd className={isMain ? 'font-medium' : 'text-ink-2'}>{value.toFixed(2)}</dd>
    </>
  );
}
