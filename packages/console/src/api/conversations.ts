import type { ListedConversation } from '@svc/contract/console-conversations';
import type { ConversationStatus } from '@svc/contract/conversations';
import { stringifySearch } from '../format/search-params.ts';
import { type Api, keys, pagesQuery } from './client.ts';

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
  return pagesQuery<ListedConversation>(api, keys.list(api, 'conversation', { ...filter }), path, {
    ...filter,
  });
}

/** Where the browser downloads all conversations that match. */
export function exportHref(api: Api, filter: ConversationFilter, format: 'csv' | 'ndjson'): string {
  return `${path}/export${stringifySearch({ ...filter, format, workspace: api.workspaceId })}`;
}
