import { type FullState, reread } from '@svc/client/full-conversation';
import type { ConsoleConversation, ConsoleTrace } from '@svc/contract/console-conversation';
import type { ListedConversation } from '@svc/contract/console-conversations';
import type {
  ConversationDetail,
  ConversationStatus,
  ConversationUpdate,
  InboxState,
  Rating,
} from '@svc/contract/conversations';
import type { Truncate, Truncated } from '@svc/contract/truncate';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { stringifySearch } from '../format/search-params.ts';
import { serverNow } from '../format/server-time.ts';
import { type Api, keys, pagesQuery, readQuery } from './client.ts';
import { randomId } from './random-id.ts';

/** A conversation as it was read, and everything that has happened since. */
export type ConversationState = FullState<ConsoleConversation>;

const noInbox = {
  assignee: null,
  state: 'open',
  snoozed_until: null,
  labels: [],
  notes: [],
  branches: [],
  user_name: null,
} as const;

/** A conversation as it was read, kept current by its events: see `features/conversations/conversation-view.tsx`. */
export function conversationQuery(api: Api, id: string) {
  const queryKey = keys.one(api, 'conversation', id);
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }) => {
      const given = await api.get<ConsoleConversation>(`/api/console/conversations/${id}`, undefined, signal);
      // A node of the previous release leaves them out.
      const read = { ...noInbox, ...given };
      return reread(client.getQueryData<ConversationState>(queryKey), read, new Date(serverNow()));
    },
  });
}

const branchesKey = (api: Api, id: string) => keys.one(api, 'conversation', id, 'branch');

/** What the conversation was with a branch that is put aside; null without one. */
export const branchQuery = (api: Api, id: string, branchId: string | undefined) =>
  queryOptions({
    queryKey: [...branchesKey(api, id), branchId ?? null],
    queryFn: async ({ signal }) => {
      if (branchId === undefined) return null;
      const query = { branch_id: branchId };
      const read = await api.get<ConsoleConversation>(`/api/console/conversations/${id}`, query, signal);
      return { branchId, conversation: { ...noInbox, ...read } };
    },
    // It may have been continued while it was not shown.
    staleTime: 0,
  });

export const rereadBranches = (client: QueryClient, api: Api, id: string) =>
  client.invalidateQueries({ queryKey: branchesKey(api, id) });

/** The messages alone, as they are now. */
export const messagesQuery = (api: Api, id: string) => ({
  ...readQuery<ConversationDetail>(
    api,
    keys.one(api, 'conversation', id, 'messages'),
    `/api/v1/conversations/${id}`,
  ),
  // Nothing keeps them current.
  staleTime: 0,
});

/** The steps of one turn. */
export const traceQuery = (api: Api, id: string, turnId: string) => ({
  ...readQuery<ConsoleTrace>(
    api,
    keys.one(api, 'conversation', id, 'trace', turnId),
    `/api/console/conversations/${id}/trace`,
    { turn_id: turnId },
  ),
  // Steps of a running turn are added.
  staleTime: 0,
});

/** What removing everything after a message would do at the moment. */
export const truncatePreviewQuery = (api: Api, id: string, messageId: string) => ({
  ...readQuery<Truncated>(
    api,
    keys.one(api, 'conversation', id, 'truncate', messageId),
    `/api/v1/conversations/${id}/truncate-preview`,
    { message_id: messageId },
  ),
  staleTime: 0,
  gcTime: 0,
});

export const truncate = (api: Api, id: string, body: Truncate) =>
  api.post<Truncated>(`/api/v1/conversations/${id}/truncate`, body);

/** The turn is followed as all others of the conversation are, not by the stream of this request. */
async function beginBranch(api: Api, path: string, body?: unknown): Promise<void> {
  const options = { body, accept: 'text/event-stream', idempotencyKey: randomId() };
  const response = await api.send('POST', `/api/v1/conversations/${path}`, options);
  await response.body?.cancel();
}

/** Answers a message again. */
export const regenerate = (api: Api, id: string, messageId: string) =>
  beginBranch(api, `${id}/messages/${messageId}/regenerate`);

export const editMessage = (api: Api, id: string, messageId: string, content: string) =>
  beginBranch(api, `${id}/messages/${messageId}/edit`, { content });

export const chooseBranch = (api: Api, id: string, branchId: string) =>
  api.patch(`/api/v1/conversations/${id}/branches`, { branch_id: branchId });

export function stopTurn(api: Api, id: string): Promise<{ stopped: boolean }> {
  return api.post(`/api/v1/chat/stop`, { conversation_id: id });
}

export function replyAsPerson(api: Api, id: string, content: string, name: string): Promise<{ id: string }> {
  return api.post(`/api/v1/conversations/${id}/messages`, { content, author_name: name.slice(0, 80) });
}

export type InboxChange = Pick<
  ConversationUpdate,
  'needs_human' | 'assignee' | 'state' | 'snoozed_until' | 'labels'
>;

export const changeConversation = (api: Api, id: string, change: InboxChange) =>
  api.patch(`/api/v1/conversations/${id}`, change);

/** For the team alone. The members whom it mentions are told. */
export const writeNote = (api: Api, id: string, text: string, mentions: readonly string[]) =>
  api.post<{ id: string }>(`/api/v1/conversations/${id}/notes`, {
    text,
    ...(mentions.length > 0 && { mentions }),
  });

/** The member has read what mentions them. */
export const seeConversation = (api: Api, id: string) => api.post(`/api/console/conversations/${id}/seen`);

export const deleteConversation = (api: Api, id: string) => api.delete(`/api/v1/conversations/${id}`);

/** Of the person in all conversations, not only in one. */
export const endSessions = (api: Api, externalUserId: string) =>
  api.post(`/api/v1/end-users/${encodeURIComponent(externalUserId)}/revoke`);

export interface ConversationFilter {
  q?: string | undefined;
  bot_id?: string | undefined;
  channel?: string | undefined;
  external_user_id?: string | undefined;
  status?: ConversationStatus | undefined;
  /** Its user waits for a person. */
  waits?: true | undefined;
  /** The id of a member, or `none`. */
  assignee?: string | undefined;
  state?: InboxState | undefined;
  label?: string | undefined;
  rating?: Rating | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

const path = '/api/console/conversations';

/** Those with the latest messages first. A page that is not full but has a next one is as far as a search has come. */
export const conversationsQuery = (api: Api, filter: ConversationFilter) => ({
  ...pagesQuery<ListedConversation>(api, keys.list(api, 'conversation', { ...filter }), path, { ...filter }),
  // What others do brings conversations into a view of the inbox and takes them out, even when it is not shown.
  ...(isOfInbox(filter) && { staleTime: 0 }),
});

/** Whether it depends on what people do with conversations. */
export function isOfInbox({ assignee, state, waits, label }: ConversationFilter): boolean {
  return [assignee, state, waits, label].some((value) => value !== undefined);
}

/** Where the browser downloads everything about a person. */
export const personExportHref = (api: Api, externalUserId: string) =>
  `/api/v1/end-users/${encodeURIComponent(externalUserId)}/export${stringifySearch({ workspace: api.workspaceId })}`;

/** Where the browser downloads all conversations that match. */
export function exportHref(api: Api, filter: ConversationFilter, format: 'csv' | 'ndjson'): string {
  return `${path}/export${stringifySearch({ ...filter, format, workspace: api.workspaceId })}`;
}

/** For a picture or a link, which send no headers. */
export const attachmentUrl = (api: Api, id: string) =>
  `/api/v1/attachments/${id}${stringifySearch({ workspace: api.workspaceId })}`;
