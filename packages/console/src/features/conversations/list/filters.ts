import { unlistedChannels } from '@svc/contract/channels';
import type { ListedConversation } from '@svc/contract/console-conversations';
import type { ConversationStatus, InboxState, Rating } from '@svc/contract/conversations';
import type { ConversationFilter } from '../../../api/conversations.ts';
import { isWaiting } from '../conversation-status.ts';

/** The search parameters of the list, as they stand in the address. */
const filterNames = [
  'q',
  'bot',
  'channel',
  'user',
  'status',
  'handoff',
  'assignee',
  'inbox',
  'label',
  'rating',
  'from',
  'to',
] as const;
export type FilterName = (typeof filterNames)[number];
export type FilterSearch = Partial<Record<FilterName, string | undefined>>;

/** Only the filters: what is open beside the list belongs to one conversation. */
export function filtersIn(search: Record<string, string | undefined>): FilterSearch {
  return Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = search[name];
      return value ? [[name, value]] : [];
    }),
  );
}

/**
 * Days are those of the person who looks, who is also `me`. The overview counts days of UTC, so its link names a moment instead.
 */
export function toFilter(search: FilterSearch, userId: string): ConversationFilter {
  const { q, bot, channel, user, status, handoff, assignee, inbox, label, rating, from, to } = search;
  return {
    q,
    bot_id: bot,
    channel,
    external_user_id: user,
    status: status as ConversationStatus | undefined,
    waits: handoff ? true : undefined,
    assignee: assignee === 'me' ? userId : assignee,
    state: inbox as InboxState | undefined,
    label,
    rating: rating as Rating | undefined,
    from: momentOf(from)?.toISOString(),
    to: startOfDay(to, 1)?.toISOString(),
  };
}

/** The beginning of a day, or the moment that the address names exactly: `2026-11-16T00:00:00.000Z`. */
export function momentOf(from: string | undefined): Date | undefined {
  if (from === undefined || isDay(from)) return startOfDay(from);
  const moment = new Date(from);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

const day = /^(\d{4})-(\d\d)-(\d\d)$/;

export function isDay(text: string): boolean {
  return day.test(text);
}

/** `2026-11-16` at midnight, or some days later; undefined if it is not a day. */
function startOfDay(text: string | undefined, daysLater = 0): Date | undefined {
  const parts = day.exec(text ?? '');
  if (!parts) return undefined;
  return new Date(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]) + daysLater);
}

/** A node of the previous release leaves them out. */
export function labelsOf({ labels = [] }: { labels?: string[] }): string[] {
  return labels;
}

/** Whether a conversation that has just changed would be in the list. A search for a text or a rating cannot be answered here. */
export function isListed(row: ListedConversation, filter: ConversationFilter): boolean {
  if ([filter.q, filter.rating, filter.to].some((value) => value !== undefined)) return false;
  if (filter.channel === undefined && unlistedChannels.includes(row.channel)) return false;
  return (
    (filter.channel ?? row.channel) === row.channel &&
    (filter.bot_id ?? row.bot_id) === row.bot_id &&
    (filter.external_user_id ?? row.external_user_id) === row.external_user_id &&
    hasStatus(row, filter.status) &&
    (filter.waits === undefined || isWaiting(row)) &&
    (filter.assignee === undefined || (row.assignee ?? 'none') === filter.assignee) &&
    (filter.state ?? row.state) === row.state &&
    (filter.label === undefined || labelsOf(row).includes(filter.label)) &&
    (filter.from === undefined || row.created_at >= filter.from)
  );
}

function hasStatus({ status, latest_turn_status: turn }: ListedConversation, wanted?: string): boolean {
  return wanted === undefined || status === wanted || (status === 'idle' && turn === wanted);
}

/** When the object with this id was created: version 7 UUIDs begin with the time. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));
}

/** A text before, at and after the place where something was found, however it was written. */
export function splitAt(text: string, q: string): [string, string, string] {
  const wanted = q.replaceAll(/^["“„]|["”“]$/g, '').toLowerCase();
  const at = wanted === '' ? -1 : text.toLowerCase().indexOf(wanted);
  if (at === -1) return [text, '', ''];
  return [text.slice(0, at), text.slice(at, at + wanted.length), text.slice(at + wanted.length)];
}
