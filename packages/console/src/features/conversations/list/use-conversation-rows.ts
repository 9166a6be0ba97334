import type { ListedConversation } from '@svc/contract/console-conversations';
import { hashKey, keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { type ConversationFilter, conversationsQuery, isOfInbox } from '../../../api/conversations.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { serverNow } from '../../../format/server-time.ts';
import { useLiveChanges } from '../../../live/live-context.ts';
import { isWaiting } from '../conversation-status.ts';
import { isListed } from './filters.ts';

/** New conversations are counted up to this number. */
const maxArrived = 999;
const none: ReadonlySet<string> = new Set();
/** Browsers take no longer ones. */
const longestTimer = 2_147_483_647;

/**
 * The rows of the list, and those that wait for a person, which come first. Rows are patched where they stand; new conversations, and
 * those that would come higher up by now, are only counted until `showNew` is called, because rows that jump are clicked by mistake.
 */
export function useConversationRows(filter: ConversationFilter) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const options = conversationsQuery(api, filter);
  const list = useInfiniteQuery({ ...options, placeholderData: keepPreviousData });
  const waitingOptions = conversationsQuery(api, { waits: true });
  const waiting = useInfiniteQuery(waitingOptions);
  const listId = hashKey(options.queryKey);
  const [counted, setCounted] = useState<Counted>({ listId, ids: none });
  // Those of another filter do not count.
  const arrived = counted.listId === listId ? counted.ids : none;

  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const allRows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const waitingAll = waiting.data?.pages.flatMap(({ items }) => items) ?? [];
  const waitingRows = waitingAll.filter(isWaiting);
  const first = isFiltered ? [] : waitingRows;
  const firstIds = new Set(first.map(({ id }) => id));
  const rows = allRows.filter(({ id }) => !firstIds.has(id));
  const known = new Set(allRows.map(({ id }) => id));
  const unseen = [...arrived].filter((id) => !known.has(id) && !firstIds.has(id));
  const newCount = unseen.length + countRisen(rows.map(activityOf));

  function refresh(): void {
    setCounted({ listId, ids: none });
    void client.invalidateQueries({ queryKey: options.queryKey });
  }

  useLiveChanges(({ object, id, data }) => {
    if (object !== 'conversation' || id === null || !data) return;
    const row = data as ListedConversation;
    const isNewlyWaiting = isWaiting(row) && !waitingRows.some((one) => one.id === id);
    if (isNewlyWaiting) void client.invalidateQueries({ queryKey: waitingOptions.queryKey });
    const isSearch = filter.q !== undefined || filter.to !== undefined;
    if (isOfInbox(filter) && !isSearch && known.has(id) !== isListed(row, filter)) return refresh();
    if (known.has(id) || !isListed(row, filter)) return;
    const last = allRows.at(-1);
    if (last === undefined) refresh();
    // Otherwise it belongs to a page that is not shown.
    else if (!list.hasNextPage || activityOf(row) > activityOf(last))
      setCounted((before) => withArrived(before, listId, id));
  });

  // What was snoozed comes back by itself.
  const wakesAt = Math.min(...allRows.concat(waitingAll).map(wakeTime));
  const wake = useEffectEvent(() => {
    refresh();
    void client.invalidateQueries({ queryKey: waitingOptions.queryKey });
  });
  useEffect(() => {
    if (wakesAt === Number.POSITIVE_INFINITY) return undefined;
    const timer = setTimeout(wake, Math.min(Math.max(wakesAt - serverNow(), 0) + 500, longestTimer));
    return () => clearTimeout(timer);
  }, [wakesAt]);

  return { list, first, rows, isFiltered, newCount, showNew: refresh };
}

interface Counted {
  listId: string;
  ids: ReadonlySet<string>;
}

function withArrived(before: Counted, listId: string, id: string): Counted {
  const ids = before.listId === listId ? before.ids : none;
  return ids.size < maxArrived ? { listId, ids: new Set(ids).add(id) } : before;
}

function wakeTime({ state, snoozed_until: until }: ListedConversation): number {
  return state === 'snoozed' && until ? Date.parse(until) : Number.POSITIVE_INFINITY;
}

/** By which the list is in order. */
function activityOf({ last_message_at: at, created_at: begun }: ListedConversation): string {
  return at ?? begun;
}

/** How many are later than one before them. */
function countRisen(times: readonly string[]): number {
  let earliest = times[0] ?? '';
  let count = 0;
  for (const time of times) {
    if (time > earliest) count += 1;
    else earliest = time;
  }
  return count;
}
