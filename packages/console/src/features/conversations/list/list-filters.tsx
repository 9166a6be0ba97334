import { channelNames } from '@svc/contract/channels';
import type { ConsoleBot } from '@svc/contract/console-bots';
import { useQuery } from '@tanstack/react-query';
import { ListFilter, Search, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { botsQuery } from '../../../api/bots.ts';
import { endUserQuery } from '../../../api/end-users.ts';
import { membersQuery } from '../../../api/members.ts';
import { useBotNames } from '../../../app/bot-select.tsx';
import { useShortcuts } from '../../../app/shortcuts/use-shortcuts.ts';
import { useRead, useWorkspace } from '../../../app/workspace.tsx';
import { channelName } from '../../../format/channels.ts';
import { personName } from '../../../format/person-name.ts';
import { clockTime, dayOf } from '../../../format/time.ts';
import { Button, IconButton } from '../../../kit/buttons.tsx';
import { Checkbox, Select, TextField } from '../../../kit/fields.tsx';
import { Popover } from '../../../kit/popover.tsx';
import { namedStatuses, statusName } from '../conversation-status.ts';
import { type FilterName, type FilterSearch, isDay, momentOf } from './filters.ts';
import { SaveView } from './views.tsx';

interface ListFiltersProps {
  search: FilterSearch;
  onChange: (change: FilterSearch) => void;
}

const typingMilliseconds = 300;

/** One field for an id, a user or a text, and everything else as chips. */
export function ListFilters({ search, onChange }: ListFiltersProps) {
  const bots = useRead(botsQuery);
  const input = useRef<HTMLInputElement>(null);
  useShortcuts('Conversations', [
    { keys: '/', label: 'Search conversations', run: () => input.current?.focus() },
  ]);
  const { api } = useWorkspace();
  const { user = '' } = search;
  const person = useQuery({ ...endUserQuery(api, user), enabled: user !== '' });
  const chips = chipsOf(search, useBotNames(), useMemberNames(), person.data?.name);
  return (
    <div className="flex flex-col gap-2 border-line border-b bg-surface p-3">
      <div className="flex gap-2">
        <SearchField
          inputRef={input}
          value={search.q ?? ''}
          onChange={(q) => onChange({ q: q || undefined })}
        />
        <Popover
          label="Filters"
          trigger={
            <Button icon={<ListFilter aria-hidden />}>
              <span className="max-sm:sr-only">Filters</span>
            </Button>
          }
        >
          <FilterForm search={search} bots={bots.data ?? []} onChange={onChange} />
        </Popover>
      </div>
      {chips.length > 0 && (
        <ul aria-label="Filters in use" className="flex flex-wrap gap-1.5">
          {chips.map(({ name, text }) => (
            <li
              key={name}
              className="flex items-center gap-0.5 rounded-full border border-line bg-sunken pl-2.5 text-ink-2 text-sm"
            >
              <span className="max-w-52 truncate">{text}</span>
              <IconButton
                label={`Remove the filter ${text}`}
                icon={<X aria-hidden />}
                onPress={() => onChange({ [name]: undefined })}
                className="size-6"
              />
            </li>
          ))}
        </ul>
      )}
      <SaveView search={search} />
    </div>
  );
}

interface SearchFieldProps {
  value: string;
  onChange: (value: string) => void;
  inputRef: React.RefObject<HTMLInputElement | null>;
}

/** Searches when the person stops typing, and follows the address when the Back button or a link changes it. */
function SearchField({ value, onChange, inputRef }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const searched = useRef(value);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (value === searched.current) return;
    searched.current = value;
    clearTimeout(timer.current);
    setTyped(value);
  }, [value]);
  return (
    <div className="relative min-w-0 flex-1">
      <Search aria-hidden className="absolute top-1/2 left-2.5 z-10 size-4 -translate-y-1/2 text-ink-3" />
      <TextField
        label="Search conversations"
        hideLabel
        type="search"
        placeholder={'An id, a user or "a text"'}
        inputRef={inputRef}
        className="[&_input]:pl-8"
        value={typed}
        onChange={(text) => {
          setTyped(text);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => {
            searched.current = text.trim();
            onChange(searched.current);
          }, typingMilliseconds);
        }}
      />
    </div>
  );
}

interface FilterChip {
  name: FilterName;
  text: string;
}

/** The filters in use, in words. The search field shows its own. */
function chipsOf(
  search: FilterSearch,
  nameOfBot: (id: string) => string,
  nameOfMember: (id: string) => string,
  userName: string | null | undefined,
): FilterChip[] {
  const { bot, channel, user, status, handoff, assignee, inbox, label, rating, from, to } = search;
  const chips: (FilterChip | false | undefined)[] = [
    bot !== undefined && { name: 'bot', text: nameOfBot(bot) },
    channel !== undefined && { name: 'channel', text: channelName(channel) },
    user !== undefined && { name: 'user', text: personName(user, userName) },
    status !== undefined && { name: 'status', text: `Latest answer: ${statusName(status).toLowerCase()}` },
    handoff !== undefined && { name: 'handoff', text: 'Waits for a person' },
    assignee !== undefined && { name: 'assignee', text: `Assigned to ${nameOfMember(assignee)}` },
    inbox !== undefined && { name: 'inbox', text: inboxNames[inbox] ?? inbox },
    label !== undefined && { name: 'label', text: `Label ${label}` },
    rating !== undefined && { name: 'rating', text: ratingNames[rating] ?? rating },
    from !== undefined && { name: 'from', text: `From ${beginning(from)}` },
    to !== undefined && { name: 'to', text: `Up to ${to}` },
  ];
  return chips.filter((chip): chip is FilterChip => Boolean(chip));
}

/** A day as it stands in the address; a moment in the time of the person who looks. */
function beginning(from: string): string {
  const moment = isDay(from) ? undefined : momentOf(from);
  return moment ? `${dayOf(moment)}, ${clockTime(moment)}` : from;
}

/** Names of members by id, and of the two words that stand for one. */
function useMemberNames(): (id: string) => string {
  const members = useRead(membersQuery).data ?? [];
  return (id) => {
    if (id === 'me') return 'me';
    if (id === 'none') return 'nobody';
    return members.find((member) => member.id === id)?.name ?? 'a former member';
  };
}

const inboxNames: Record<string, string> = { open: 'Open', snoozed: 'Snoozed', resolved: 'Resolved' };

const ratingNames: Record<string, string> = { down: 'Rated down', up: 'Rated up' };

interface FilterFormProps {
  search: FilterSearch;
  bots: readonly Pick<ConsoleBot, 'id' | 'name'>[];
  onChange: (change: FilterSearch) => void;
}

const any = { value: '', label: 'Any' };

function FilterForm({ search, bots, onChange }: FilterFormProps) {
  const members = useRead(membersQuery).data ?? [];
  return (
    <div className="grid w-72 grid-cols-2 gap-3">
      <Select
        label="Bot"
        className="col-span-2"
        options={[any, ...bots.map(({ id, name }) => ({ value: id, label: name }))]}
        value={search.bot ?? ''}
        onChange={(bot) => onChange({ bot: bot || undefined })}
      />
      <Select
        label="Channel"
        options={[any, ...channelNames.map((value) => ({ value, label: channelName(value) }))]}
        value={search.channel ?? ''}
        onChange={(channel) => onChange({ channel: channel || undefined })}
      />
      <Select
        label="Latest answer"
        options={[any, ...namedStatuses.map((value) => ({ value, label: statusName(value) }))]}
        value={search.status ?? ''}
        onChange={(status) => onChange({ status: status || undefined })}
      />
      <Select
        label="Assigned to"
        options={[
          any,
          { value: 'me', label: 'Me' },
          { value: 'none', label: 'Nobody' },
          ...members.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={search.assignee ?? ''}
        onChange={(assignee) => onChange({ assignee: assignee || undefined })}
      />
      <Select
        label="State"
        options={[any, ...Object.entries(inboxNames).map(([value, label]) => ({ value, label }))]}
        value={search.inbox ?? ''}
        onChange={(inbox) => onChange({ inbox: inbox || undefined })}
      />
      <Select
        label="Rating"
        options={[any, ...Object.entries(ratingNames).map(([value, label]) => ({ value, label }))]}
        value={search.rating ?? ''}
        onChange={(rating) => onChange({ rating: rating || undefined })}
      />
      <TextField
        label="Label"
        defaultValue={search.label ?? ''}
        onBlur={(event) => onChange({ label: event.target.value.trim() || undefined })}
      />
      <TextField
        label="User"
        className="col-span-2"
        defaultValue={search.user ?? ''}
        onBlur={(event) => onChange({ user: event.target.value.trim() || undefined })}
      />
      <TextField
        label="From"
        type="date"
        // The chip shows a moment that is not a day.
        value={search.from && isDay(search.from) ? search.from : ''}
        onChange={(from) => onChange({ from: from || undefined })}
      />
      <TextField
        label="Up to"
        type="date"
        value={search.to ?? ''}
        onChange={(to) => onChange({ to: to || undefined })}
      />
      <div className="col-span-2">
        <Checkbox
          isSelected={search.handoff !== undefined}
          onChange={(isOn) => onChange({ handoff: isOn ? '1' : undefined })}
        >
          Waits for a person
        </Checkbox>
      </div>
    </div>
  );
}
