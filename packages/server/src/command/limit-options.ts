import { type Command, InvalidArgumentError } from 'commander';
import type { LimitName, StoredLimits } from '../limits/workspace-limits.ts';
import type { LimitChange, LimitChanges } from '../workspaces/workspaces.service.ts';

/** Every limit with its option, and what it means. */
const limits: readonly { name: LimitName; option: string; meaning: string }[] = [
  { name: 'streams', option: 'max-streams', meaning: 'open event streams' },
  { name: 'lists', option: 'max-lists', meaning: 'long lists being read' },
  { name: 'turns', option: 'max-turns', meaning: 'turns in progress' },
  { name: 'tool_tests', option: 'max-tool-tests', meaning: 'tests of tools in progress' },
  { name: 'drafts', option: 'max-drafts', meaning: 'drafts in progress' },
  { name: 'calls', option: 'max-calls', meaning: 'calls in progress' },
  { name: 'calls_per_hour', option: 'max-calls-per-hour', meaning: 'calls and transfers per hour' },
  { name: 'calls_per_day', option: 'max-calls-per-day', meaning: 'calls and transfers per day' },
  { name: 'stored_bots', option: 'max-stored-bots', meaning: 'bots, inactive ones too' },
  { name: 'requests_per_minute', option: 'rate-limit', meaning: 'requests per minute and key' },
];

export function addLimitOptions(command: Command): Command {
  for (const { name, option, meaning } of limits) {
    const parse = name === 'requests_per_minute' ? parseRate : parseLimit;
    command.option(`--${option} <number>`, `${meaning}; "unlimited", or "default"`, parse);
  }
  return command;
}

export function limitChanges(command: Command): LimitChanges {
  const given = limits.flatMap(({ name, option }) => {
    const change: unknown = command.getOptionValue(camelCase(option));
    return change === undefined ? [] : [[name, change]];
  });
  return Object.fromEntries(given) as LimitChanges;
}

/** As the parser of the command line names it. */
function camelCase(option: string): string {
  return option.replaceAll(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase());
}

/** Named like the options that set them: `max_streams` for `--max-streams`. */
export function limitsDocument(stored: StoredLimits): Record<string, LimitChange> {
  return Object.fromEntries(
    limits.map(({ name, option }) => {
      const limit = stored[name];
      return [option.replaceAll('-', '_'), limit === undefined ? 'default' : (limit ?? 'unlimited')];
    }),
  );
}

/** The limits that differ from the default, as text; empty if none does. */
export function describeLimits(stored: StoredLimits): string {
  return limits
    .filter(({ name }) => stored[name] !== undefined)
    .map(({ name, meaning }) => `, ${meaning}: ${stored[name] ?? 'unlimited'}`)
    .join('');
}

function parseLimit(text: string): LimitChange {
  if (text === 'unlimited' || text === 'default') return text;
  if (!/^\d{1,7}$/.test(text)) {
    throw new InvalidArgumentError('Give a whole number, "unlimited" or "default".');
  }
  return Number(text);
}

function parseRate(text: string): LimitChange {
  const rate = parseLimit(text);
  if (rate === 0) throw new InvalidArgumentError('Give at least 1: to keep a key out, revoke it.');
  return rate;
}
