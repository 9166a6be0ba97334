import type { ListedConversation } from '@svc/contract/console-conversations';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ConversationFilter, conversationsQuery } from '../../../api/conversations.ts';
import { useWorkspace } from '../../../app/workspace-context.tsx';
import { useLiveChanges } from '../../../live/live-context.ts';
import { isListed } from './filters.ts';

/** New conversations are counted up to this number. */
const maxArrived = 999;

/**
 * The rows of the list, and those that wait for a person, which come first. Rows are patched where they stand; new conversations
 * are only counted until `showNew` is called, because rows that jump are clicked by mistake.
 */
export function useConversationRows(filter: ConversationFilter) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const options = conversationsQuery(api, filter);
  const list = useInfiniteQuery({ ...options, placeholderData: (before) => before });
  const waitingOptions = conversationsQuery(api, { needs_human: true });
  const waiting = useInfiniteQuery(waitingOptions);
  const [arrived, setArrived] = useState<ReadonlySet<string>>(new Set());

  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const allRows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const waitingRows = (waiting.data?.pages.flatMap(({ items }) => items) ?? []).filter(isWaiting);
  const first = isFiltered ? [] : waitingRows;
  const firstIds = new Set(first.map(({ id }) => id));
  const rows = allRows.filter(({ id }) => !firstIds.has(id));
  const known = new Set(allRows.map(({ id }) => id));
  const newCount = [...arrived].filter((id) => !known.has(id) && !firstIds.has(id)).length;

  function refresh(): void {
    setArrived(new Set());
    void client.invalidateQueries({ queryKey: options.queryKey });
  }

  useLiveChanges(({ object, id, data }) => {
    if (object !== 'conversation' || id === null || !data) return;
    const row = data as ListedConversation;
    const isNewlyWaiting = row.needs_human !== null && !waitingRows.some((one) => one.id === id);
    if (isNewlyWaiting) void client.invalidateQueries({ queryKey: waitingOptions.queryKey });
    const newest = allRows[0]?.id;
    if (known.has(id) || !isListed(row, filter) || (newest !== undefined && id < newest)) return;
    if (newest === undefined) refresh();
    else setArrived((before) => (before.size < maxArrived ? new Set(before).add(id) : before));
  });

  return { list, first, rows, isFiltered, newCount, showNew: refresh };
}

function isWaiting({ needs_human: needsHuman }: ListedConversation): boolean {
  return needsHuman !== null;
}
