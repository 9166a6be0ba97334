import type { ListedConversation } from '@svc/contract/console-conversations';
import type { ConversationStatus } from '@svc/contract/conversations';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { stringifySearch } from '../format/search-params.ts';
import { type Api, paged } from './client.ts';
import { keys } from './keys.ts';

export interface ConversationFilter {
  q?: string | undefined;
  bot_id?: string | undefined;
  channel?: string | undefined;
  external_user_id?: string | undefined;
  status?: ConversationStatus | undefined;
  needs_human?: true | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

const path = '/api/console/conversations';

/** Newest first. A page that is not full but has a next one is as far as a search has come. */
export function conversationsQuery(api: Api, filter: ConversationFilter) {
  return infiniteQueryOptions({
    queryKey: keys.list(api.workspaceId, 'conversation', { ...filter }),
    queryFn: ({ pageParam, signal }) =>
      api.page<ListedConversation>(path, { ...filter, before: pageParam }, signal),
    ...paged,
  });
}

/** Where the browser downloads all conversations that match. */
export function exportHref(api: Api, filter: ConversationFilter, format: 'csv' | 'ndjson'): string {
  return `${path}/export${stringifySearch({ ...filter, format, workspace: api.workspaceId })}`;
}
