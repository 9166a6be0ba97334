import type { ConversationView, ViewFilter } from '@svc/contract/conversation-views';
import { type FilterSearch, filtersIn } from './filters.ts';

/** How a saved view stands in the address. */
export function searchOf({ filter }: Pick<ConversationView, 'filter'>): FilterSearch {
  const { q, bot_id, channel, external_user_id, status, needs_human, assignee, state, label, rating } =
    filter;
  return filtersIn({
    q,
    bot: bot_id,
    channel,
    user: external_user_id,
    status,
    handoff: needs_human && '1',
    assignee,
    inbox: state,
    label,
    rating,
  });
}

/** What is saved of the filters in use; undefined if there is nothing, or a day, which a view cannot have. */
export function viewFilterOf(search: FilterSearch): ViewFilter | undefined {
  const { q, bot, channel, user, status, handoff, assignee, inbox, label, rating, from, to } = search;
  if (from !== undefined || to !== undefined || Object.keys(search).length === 0) return undefined;
  const filter = {
    q,
    bot_id: bot,
    channel,
    external_user_id: user,
    status,
    needs_human: handoff === undefined ? undefined : true,
    assignee,
    state: inbox,
    label,
    rating,
  };
  // The service says what is wrong with a filter that somebody wrote into the address.
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}
