import { useQuery } from '@tanstack/react-query';
import { MessageSquare, Search } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import { knowledgeOverviewQuery, searchQuery } from '../../../api/knowledge.ts';
import { BotSelect } from '../../../app/bot-select.tsx';
import { TextLink, useGo, useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { TextField } from '../../../kit/fields.tsx';
import { Page } from '../../../kit/page.tsx';
import { EmptyState, LoadError, RowsLoading } from '../../../kit/placeholders.tsx';
import { FoundPassages } from './found-passages.tsx';

/** What bots would find for a question, and why. */
export function SearchPage() {
  const { api, can } = useWorkspace();
  const [search, setSearch] = useSearchState();
  const go = useGo();
  const { q = '', bot } = search;
  const [question, setQuestion] = useState(q);
  // The Back button changes the address, too.
  useEffect(() => setQuestion(q), [q]);
  const found = useQuery(searchQuery(api, q, bot));
  const overview = useQuery(knowledgeOverviewQuery(api));
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
