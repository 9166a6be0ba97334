import type { AgentOverview } from '@svc/contract/run-history';
import { Button } from '../../kit/buttons.tsx';
import { Select } from '../../kit/fields.tsx';
import { runStates, triggerNames } from './run-states.ts';

export interface HistoryFilter {
  bot?: string | undefined;
  status?: string | undefined;
  trigger?: string | undefined;
}

interface HistoryFiltersProps {
  filter: HistoryFilter;
  agents: readonly AgentOverview[];
  onChange: (change: HistoryFilter) => void;
}

/** An option of a list cannot have an empty value. */
const any = 'any';

export function HistoryFilters({ filter, agents, onChange }: HistoryFiltersProps) {
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <div className="flex flex-wrap items-end gap-2 px-4 py-3 md:px-6">
      <Filter
        label="Autonomous agent"
        all="Every agent"
        value={filter.bot}
        options={agents.map(({ bot_id, name }) => ({ value: bot_id, label: name }))}
        onChange={(bot) => onChange({ bot })}
      />
      <Filter
        label="State"
        all="Every state"
        value={filter.status}
        options={Object.entries(runStates).map(([value, { text }]) => ({ value, label: text }))}
        onChange={(status) => onChange({ status })}
      />
      <Filter
        label="Started by"
        all="Started by anything"
        value={filter.trigger}
        options={Object.entries(triggerNames).map(([value, label]) => ({ value, label }))}
        onChange={(trigger) => onChange({ trigger })}
      />
      {isFiltered && (
        <Button
          look="quiet"
          onPress={() => onChange({ bot: undefined, status: undefined, trigger: undefined })}
        >
          Clear
        </Button>
      )}
    </div>
  );
}

interface FilterProps {
  label: string;
  all: string;
  value: string | undefined;
  options: { value: string; label: string }[];
  onChange: (value: string | undefined) => void;
}

function Filter({ label, all, value, options, onChange }: FilterProps) {
  return (
    <Select
      label={label}
      hideLabel
      className="w-48 max-sm:min-w-[45%] max-sm:flex-1"
      options={[{ value: any, label: all }, ...options]}
      value={value ?? any}
      onChange={(next) => onChange(next === any ? undefined : next)}
    />
  );
}
