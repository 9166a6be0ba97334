import { channelName } from '../../../format/channels.ts';
import { clockTime, dayOf } from '../../../format/time.ts';
import { type FilterName, type FilterSearch, isDay, momentOf } from './filters.ts';
import { stateName } from './state-name.ts';

export interface FilterChip {
  name: FilterName;
  text: string;
}

/** The filters in use, in words. The search field shows its own. */
export function chipsOf(search: FilterSearch, nameOfBot: (id: string) => string): FilterChip[] {
  const { bot, channel, user, status, handoff, from, to } = search;
  const chips: (FilterChip | false | undefined)[] = [
    bot !== undefined && { name: 'bot', text: nameOfBot(bot) },
    channel !== undefined && { name: 'channel', text: channelName(channel) },
    user !== undefined && { name: 'user', text: user },
    status !== undefined && { name: 'status', text: stateName(status) },
    handoff !== undefined && { name: 'handoff', text: 'Waits for a person' },
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
