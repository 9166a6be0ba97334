import type { ConversationView, ConversationViewCreate } from '@svc/contract/conversation-views';
import { type Api, keys, readQuery } from './client.ts';

export const conversationViewsQuery = (api: Api) =>
  readQuery<ConversationView[]>(api, keys.list(api, 'conversation_view'), '/api/v1/conversation-views');

export const createConversationView = (api: Api, view: ConversationViewCreate) =>
  api.post<{ id: string }>('/api/v1/conversation-views', view);

export const deleteConversationView = (api: Api, id: string) =>
  api.delete(`/api/v1/conversation-views/${id}`);
