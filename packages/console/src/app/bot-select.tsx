import { botsQuery } from '../api/bots.ts';
import { Select } from '../kit/fields.tsx';
import { useRead } from './workspace.tsx';

interface BotSelectProps {
  label: string;
  hideLabel?: boolean;
  /** The label before the field instead of above it. */
  isInline?: boolean;
  value: string | undefined;
  onChange: (botId: string | undefined) => void;
  /** What it means to choose none. */
  noneLabel?: string;
  className?: string;
}

const everyBot = 'every';

export function BotSelect(props: BotSelectProps) {
  const { label, hideLabel, isInline, value, onChange, noneLabel = 'Every bot', className } = props;
  const bots = useRead(botsQuery);
  const options = [
    { value: everyBot, label: noneLabel },
    ...(bots.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
  ];
  const select = (
    <Select
      label={label}
      {...((hideLabel || isInline) && { hideLabel: true })}
      options={options}
      value={value ?? everyBot}
      onChange={(id) => onChange(id === everyBot ? undefined : id)}
      className={className ?? 'w-44'}
    />
  );
  if (!isInline) return select;
  return (
    <span className="flex items-center gap-2 md:ml-auto">
      <span aria-hidden className="text-ink-2 text-sm">
        {label}
      </span>
      {select}
    </span>
  );
}

/** The names of bots by id, while they are known. */
export function useBotNames(): (botId: string) => string {
  const bots = useRead(botsQuery);
  const names = new Map(bots.data?.map(({ id, name }) => [id, name]));
  return (botId) => names.get(botId) ?? (bots.isPending ? '…' : 'a bot');
}
