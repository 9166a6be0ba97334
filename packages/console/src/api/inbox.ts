import type { InboxSettings } from '@svc/contract/inbox';
import { type Api, keys, readQuery } from './client.ts';

/** How conversations are shared. */
export const inboxQuery = (api: Api) =>
  readQuery<InboxSettings>(api, keys.all(api, 'inbox'), '/api/v1/inbox');

export const replaceInbox = (api: Api, settings: InboxSettings) =>
  api.put<InboxSettings>('/api/v1/inbox', settings);
