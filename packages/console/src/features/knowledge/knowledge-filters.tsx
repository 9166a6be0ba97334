import { Search } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { BotSelect } from '../../app/bot-select.tsx';
import { useGo, useSearchState } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { Select, TextField } from '../../kit/fields.tsx';

const states = [
  { value: 'any', label: 'Any state' },
  { value: 'completed', label: 'Ready' },
  { value: 'unfinished', label: 'In progress' },
  { value: 'failed', label: 'Failed' },
];
const types = [
  { value: 'any', label: 'Any type' },
  { value: 'uploaded_file', label: 'Files' },
  { value: 'url', label: 'Web pages' },
  { value: 'text', label: 'Texts' },
];

/** What the list is narrowed to, and the way to what bots would find. */
export function KnowledgeFilters() {
  const [search, setSearch] = useSearchState();
  const go = useGo();
  const [question, setQuestion] = useState('');
  const choose = (name: string) => (value: string) =>
    setSearch({ [name]: value === 'any' ? undefined : value });
  function ask(event: FormEvent): void {
    event.preventDefault();
    if (question.trim()) go('/knowledge/search', { q: question.trim(), bot: search['bot'] });
  }
  return (
    <div className="flex flex-wrap items-end gap-x-3 gap-y-2 border-line border-b px-4 py-2 md:px-6">
      <TextField
        label="Find by name"
        hideLabel
        type="search"
        placeholder="Find by name"
        value={search['q'] ?? ''}
        onChange={(q) => setSearch({ q: q || undefined })}
        className="w-44 max-md:w-full"
      />
      <BotSelect
        label="Bot"
        hideLabel
        noneLabel="Any bot"
        value={search['bot']}
        onChange={(bot) => setSearch({ bot })}
        className="w-36 max-md:min-w-32 max-md:flex-1"
      />
      <Select
        label="State"
        hideLabel
        options={states}
        value={search['status'] ?? 'any'}
        onChange={choose('status')}
        className="w-32 max-md:min-w-32 max-md:flex-1"
      />
      <Select
        label="Type"
        hideLabel
        options={types}
        value={search['type'] ?? 'any'}
        onChange={choose('type')}
        className="w-32 max-md:min-w-32 max-md:flex-1"
      />
      <form onSubmit={ask} className="flex items-center gap-2 max-md:w-full lg:ml-auto">
        <TextField
          label="Search what bots would find"
          hideLabel
          type="search"
          placeholder="Search what bots would find"
          value={question}
          onChange={setQuestion}
          className="w-64 max-md:flex-1"
        />
        <Button type="submit" icon={<Search aria-hidden />}>
          Search
        </Button>
      </form>
    </div>
  );
}
