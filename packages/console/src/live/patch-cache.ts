import type { LiveMessage, LiveObject } from '@svc/contract/live';
import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import { type Api, keys, type Page } from '../api/client.ts';
import { sessionQuery } from '../api/session.ts';

type Changed = Extract<LiveMessage, { type: 'changed' }>;
type Identified = { id: string };

/** What has to be read again when an object changes, besides its own lists and details. */
const affected: Partial<Record<LiveObject, readonly Parameters<typeof keys.all>[1][]>> = {
  conversation: ['overview'],
  approval: ['overview'],
  run: ['overview'],
  evaluation: ['scenario', 'overview'],
  knowledge: ['overview'],
  machine: ['overview'],
  // Its agents are listed with the runs.
  bot: ['overview', 'run'],
  widget: ['overview'],
  member: ['invitation'],
};

/**
 * Applies a change to the cache. Rows that are shown are replaced; new ones are not inserted, because rows that jump are clicked
 * by mistake: pages learn of them by `useLiveChanges` and offer to show them. Returns what must be read again.
 */
export function patchCache(client: QueryClient, api: Api, change: Changed): readonly unknown[][] {
  const { object, id, data } = change;
  const others = (affected[object] ?? []).map((name) => [...keys.all(api, name)]);
  // The member may be the one who looks at the page, with another role now.
  if (object === 'member' || object === 'workspace') others.push([...sessionQuery.queryKey]);
  if (object === 'conversation') return [...patchConversation(client, api, id, data), ...others];
  const own = id === null ? [] : [[...keys.one(api, object, id)]];
  const withBot = object === 'bot' ? conversationsOf(client, api, id) : [];
  return [[...keys.lists(api, object)], ...own, ...withBot, ...others];
}

/** Conversations show the name of their bot and whether it answers. */
function conversationsOf(client: QueryClient, { workspaceId }: Api, botId: string | null): unknown[][] {
  return client
    .getQueriesData<{ conversation?: { bot_id: string } }>({ queryKey: [workspaceId, 'conversation', 'one'] })
    .flatMap(([key, state]) => (state?.conversation?.bot_id === botId ? [[...key]] : []));
}

/** Its detail is left alone: it follows the events of the conversation. */
function patchConversation(client: QueryClient, api: Api, id: string | null, data: unknown): unknown[][] {
  const lists = keys.lists(api, 'conversation');
  if (id === null || data === undefined) return [[...lists]];
  client.setQueriesData<InfiniteData<Page<Identified>>>(
    { queryKey: lists },
    (list) => list && replaceRow(list, id, data === null ? undefined : (data as Identified)),
  );
  return [];
}

/** The pages with the row replaced, or without it; the same object if it is not among them. */
function replaceRow<Row extends Identified>(
  list: InfiniteData<Page<Row>>,
  id: string,
  row: Row | undefined,
): InfiniteData<Page<Row>> {
  if (!list.pages.some(({ items }) => items.some((item) => item.id === id))) return list;
  const pages = list.pages.map((page) => ({
    ...page,
    // Where a searched text was found is not part of the change.
    items: page.items.flatMap((item) => (item.id === id ? (row ? { ...item, ...row } : []) : item)),
  }));
  return { ...list, pages };
}
