import { offlineError, toApiError } from '@svc/client/api-error';
import type { LiveObject } from '@svc/contract/live';
import { infiniteQueryOptions, type QueryKey, queryOptions } from '@tanstack/react-query';
import { stringifySearch } from '../format/search-params.ts';
import { noteServerTime } from '../format/server-time.ts';
import { randomId } from './random-id.ts';

type QueryValue = string | number | boolean | undefined | null;
export type Query = Record<string, QueryValue>;

export interface CallOptions {
  query?: Query | undefined;
  body?: unknown;
  /** Sends the request once, however often it is repeated with this key. */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
  accept?: string;
}

/** The requests of one workspace. */
export interface Api {
  readonly workspaceId: string;
  get<Answer>(path: string, query?: Query, signal?: AbortSignal): Promise<Answer>;
  post<Answer>(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  put<Answer>(path: string, body: unknown, query?: Query): Promise<Answer>;
  patch<Answer>(path: string, body: unknown): Promise<Answer>;
  delete<Answer>(path: string, query?: Query): Promise<Answer>;
  /** A list and the cursor of its next page. */
  page<Item>(path: string, query?: Query, signal?: AbortSignal): Promise<Page<Item>>;
  /** The response itself, once it is a success: for streams and downloads. */
  send(method: string, path: string, options?: CallOptions): Promise<Response>;
}

export interface Page<Item> {
  items: Item[];
  next: string | undefined;
}

/** What an address answers, for `useQuery`. */
export function readQuery<Answer>(api: Api, queryKey: QueryKey, path: string, query?: Query) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => api.get<Answer>(path, query, signal) });
}

/** What an address answers page by page, for `useInfiniteQuery`. */
export function pagesQuery<Item>(api: Api, queryKey: QueryKey, path: string, query?: Query) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => api.page<Item>(path, { ...query, before: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
}

export function createApi(workspaceId: string): Api {
  const send: Api['send'] = (method, path, options = {}) =>
    request(method, path, options, { 'x-svc-workspace': workspaceId });
  const json = async <Answer>(method: string, path: string, options?: CallOptions) =>
    (await (await send(method, path, options)).json()) as Answer;
  return {
    workspaceId,
    send,
    get: (path, query, signal) => json('GET', path, { query, signal }),
    post: (path, body, options = {}) =>
      json('POST', path, { ...options, body, idempotencyKey: options.idempotencyKey ?? randomId() }),
    put: (path, body, query) => json('PUT', path, { body, query }),
    patch: (path, body) => json('PATCH', path, { body }),
    delete: (path, query) => json('DELETE', path, { query }),
    async page<Item>(path: string, query?: Query, signal?: AbortSignal): Promise<Page<Item>> {
      const response = await send('GET', path, { query, signal });
      return { items: (await response.json()) as Item[], next: nextCursor(response) };
    },
  };
}

/** Requests that belong to no workspace: sign-in, invitations, the session. */
export async function callConsole<Answer>(
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await request(method, `/api/console${path}`, { body }, { 'x-svc-console': '1' });
  return (await response.json()) as Answer;
}

const unauthorized = new Set<() => void>();

/** Calls back when a request was refused because nobody is signed in. */
export function onUnauthorized(listener: () => void): () => void {
  unauthorized.add(listener);
  return () => void unauthorized.delete(listener);
}

async function request(
  method: string,
  path: string,
  { query, body, idempotencyKey, signal, accept = 'application/json' }: CallOptions,
  ownHeaders: Record<string, string>,
): Promise<Response> {
  const isForm = body instanceof FormData;
  const headers = new Headers({ accept, ...ownHeaders });
  if (body !== undefined && !isForm) headers.set('content-type', 'application/json');
  if (idempotencyKey) headers.set('idempotency-key', idempotencyKey);
  const sentAt = Date.now();
  let response: Response;
  try {
    response = await fetch(`${path}${stringifySearch(query)}`, {
      method,
      headers,
      credentials: 'same-origin',
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw offlineError();
  }
  noteServerTime(response.headers.get('date'), sentAt, Date.now());
  if (response.status === 401) for (const listener of unauthorized) listener();
  if (!response.ok) throw await toApiError(response);
  return response;
}

/** The `before` of `Link: <…>; rel="next"`. */
function nextCursor(response: Response): string | undefined {
  const link = /<([^>]*)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  return link ? (new URL(link, location.href).searchParams.get('before') ?? undefined) : undefined;
}

/** What is read from the service; changes of live objects arrive on the socket, the others are read again by hand. */
type CachedObject =
  | LiveObject
  | 'overview'
  | 'palette'
  | 'audit'
  | 'canned_reply'
  | 'conversation_view'
  | 'catalog'
  | 'inbox'
  | 'end_user'
  | 'invitation'
  | 'job'
  | 'key'
  | 'legal_hold'
  | 'model'
  | 'quality'
  | 'retention'
  | 'scenario'
  | 'system'
  | 'usage'
  | 'voice'
  | 'waiting'
  | 'webhook';

/** The filters of a list as the API takes them; undefined ones are ignored. */
type ListFilter = Record<string, unknown>;

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
