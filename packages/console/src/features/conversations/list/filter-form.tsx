import { channelNames } from '@svc/contract/channels';
import type { ConsoleBot } from '@svc/contract/console-bots';
import { channelName } from '../../../format/channels.ts';
import { Checkbox, Select, TextField } from '../../../kit/fields.tsx';
import { namedStatuses } from '../conversation-status.ts';
import { type FilterSearch, isDay } from './filters.ts';
import { stateName } from './state-name.ts';

interface FilterFormProps {
  search: FilterSearch;
  bots: readonly Pick<ConsoleBot, 'id' | 'name'>[];
  onChange: (change: FilterSearch) => void;
}

const any = { value: '', label: 'Any' };

export function FilterForm({ search, bots, onChange }: FilterFormProps) {
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
        label="State"
        options={[any, ...namedStatuses.map((value) => ({ value, label: stateName(value) }))]}
        value={search.status ?? ''}
        onChange={(status) => onChange({ status: status || undefined })}
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
