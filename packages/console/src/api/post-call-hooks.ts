import type { PostCallHook, PostCallHookCreate, PostCallHookUpdate } from '@svc/contract/post-call-hooks';
import { type Api, keys, readQuery } from './client.ts';

const pathOf = (botId: string) => `/api/v1/bots/${botId}/post-call-hooks`;

/** In the order in which they run. */
export const hooksQuery = (api: Api, botId: string) =>
  readQuery<PostCallHook[]>(api, keys.one(api, 'bot', botId, 'hooks'), pathOf(botId));

export const addHook = (api: Api, botId: string, body: PostCallHookCreate) =>
  api.post<{ id: string }>(pathOf(botId), body);

export const updateHook = (api: Api, botId: string, id: string, body: PostCallHookUpdate) =>
  api.put(`${pathOf(botId)}/${id}`, body);

export const deleteHook = (api: Api, botId: string, id: string) => api.delete(`${pathOf(botId)}/${id}`);
