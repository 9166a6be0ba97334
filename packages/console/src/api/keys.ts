import type { LiveObject } from '@svc/contract/live';
import type { Api } from './client.ts';

/** What is read from the service; changes of live objects arrive on the socket, the others are read again by hand. */
export type CachedObject =
  | LiveObject
  | 'overview'
  | 'palette'
  | 'audit'
  | 'catalog'
  | 'invitation'
  | 'job'
  | 'key'
  | 'model'
  | 'quality'
  | 'scenario'
  | 'system'
  | 'usage'
  | 'voice'
  | 'waiting'
  | 'webhook';

/** The filters of a list as the API takes them; undefined ones are ignored. */
export type ListFilter = Record<string, unknown>;

/**
 * The keys of everything in the query cache. When an object changes, `live/patch-cache.ts` patches or reads again what is stored
 * under `lists(…, object)` and `one(…, object, id)`, so pages that use these keys stay current by themselves:
 *
 * - `list('conversation', filter)`: an infinite query with pages of `{ items, next }`, as `api.page` returns them.
 * - `one('conversation', id)`: its detail; `one('conversation', id, 'trace')`: its trace. These are not patched by the workspace's
 *   messages: `useConversationEvents` delivers every event of an open conversation.
 * - `one('bot', id, 'versions' | 'knowledge' | 'tools' | 'scenarios' | …)`: what belongs to a bot, read again with it.
 * - `list('run', filter)`, `list('run', { view: 'calendar', month })`: runs and their calendar.
 * - `list('approval', { status })`, `one('approval', id)`, `list('knowledge', filter)`, `one('knowledge', id, 'passages')`, …
 * - `all('overview')`, `all('waiting')`, `all('usage', filter)`, `all('system')`: pages that are one answer.
 */
export const keys = {
  workspace: ({ workspaceId }: Api) => [workspaceId] as const,
  /** Everything that is known about objects of a kind, or one answer about all of them. */
  all: ({ workspaceId }: Api, object: CachedObject, filter?: ListFilter) =>
    filter === undefined ? ([workspaceId, object] as const) : ([workspaceId, object, filter] as const),
  lists: ({ workspaceId }: Api, object: CachedObject) => [workspaceId, object, 'list'] as const,
  list: ({ workspaceId }: Api, object: CachedObject, filter: ListFilter = {}) =>
    [workspaceId, object, 'list', filter] as const,
  one: ({ workspaceId }: Api, object: CachedObject, id: string, ...part: (string | ListFilter)[]) =>
    [workspaceId, object, 'one', id, ...part] as const,
};
